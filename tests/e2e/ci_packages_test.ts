import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../support/assert.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";

const script = fileURLToPath(new URL("../../.ci/install_optional_packages", import.meta.url));
const packaged = [
  "bash",
  "chromium",
  "chromium-driver",
  "gcc",
  "gcc-12",
  "libc6-dev",
  "postgresql-9.6-cron",
  "postgresql-15-cron",
  "postgresql-17-cron",
  "postgresql-17-plpgsql-check",
];
const compiler = ["/usr/bin/cc", "/usr/include/time.h"];

interface Machine {
  readonly user: number;
  readonly packaged: readonly string[];
  readonly files?: readonly string[];
  readonly installs?: boolean;
}

Deno.test("CI installs the packages that skipped tests need, in the newest packaged version", async () => {
  const all = await install({ user: 0, packaged });
  assertEquals(all.installed, [
    "chromium postgresql-17-cron postgresql-17-plpgsql-check gcc libc6-dev",
  ]);
  const some = await install({
    user: 0,
    packaged,
    files: [
      "/usr/bin/google-chrome",
      "/usr/share/postgresql/15/extension/pg_cron.control",
      ...compiler,
    ],
  });
  assertEquals(some.installed, ["postgresql-17-plpgsql-check"]);
});

Deno.test("CI installs nothing as an ordinary user, and no package that is present or unavailable", async () => {
  const files = [
    "/usr/bin/chromium",
    "/usr/share/postgresql/15/extension/pg_cron.control",
    "/usr/share/postgresql/15/extension/plpgsql_check.control",
    ...compiler,
  ];
  for (
    const machine of [{ user: 1000, packaged }, { user: 0, packaged, files }, {
      user: 0,
      packaged: ["bash"],
    }]
  ) {
    assertEquals(await install(machine), { installed: [], output: "" });
  }
});

Deno.test("CI goes on and reports it when a package cannot be installed", async () => {
  const { installed, output } = await install({ user: 0, packaged, installs: false });
  assertEquals(installed.length, 1);
  assert(output.includes("their tests are skipped"), output);
});

/** Runs the script with doubles of the machine's tools. It must succeed. */
async function install(machine: Machine): Promise<{ installed: string[]; output: string }> {
  await using folder = await makeTemporaryFolder();
  const record = join(folder.path, "installed");
  const tools = {
    id: `echo ${machine.user}`,
    "apt-cache": `printf '%s\\n' ${machine.packaged.join(" ")}`,
    "apt-get": `[ "$1" = install ] || exit 0
      shift; for name; do case $name in -*) shift;; esac; done
      echo "$@" >> ${record}; exit ${machine.installs === false ? 100 : 0}`,
  };
  const bin = join(folder.path, "bin");
  await Deno.mkdir(bin);
  for (const [name, body] of Object.entries(tools)) {
    await Deno.writeTextFile(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  }
  const system = join(folder.path, "system");
  for (const file of machine.files ?? []) {
    await Deno.mkdir(join(system, file, ".."), { recursive: true });
    await Deno.writeTextFile(join(system, file), "", { mode: 0o755 });
  }
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: [script],
    env: { PATH: `${bin}:${Deno.env.get("PATH")}`, SYSTEM_ROOT: system },
    stdin: "null",
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  const text = await Deno.readTextFile(record).catch(() => "");
  return {
    installed: text.split("\n").filter((line) => line !== ""),
    output: new TextDecoder().decode(stdout),
  };
}
