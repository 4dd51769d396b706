import { join } from "node:path";
import { installNpmPackage } from "../../../supabase/tools/npm_package.ts";
import { assert, assertEquals, assertMatch } from "../../../tests/support/assert.ts";
import { findBrowser, openPage } from "../../../tests/support/browser/browser.ts";
import { createTestDatabase } from "../../../tests/support/database/database.ts";
import { startTestServer } from "../../../tests/support/doubles/test_server.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  startLocalStack,
} from "../../../tests/support/stack/local_stack.ts";
import { waitUntil } from "../../../tests/support/wait_until.ts";
import { writeCallers } from "./compiled_callers.ts";
import { callWorker, findBun, findWorkerd, toWorker } from "./other_runtimes.ts";
import { type InstalledClient, installPackedClient, readBlocks, run } from "./packed_client.ts";

const maxBundleBytes = 20_000;
const nodeVersions = ["20.20.2", "24.21.0"];

Deno.test("the packed client", async (t) => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  const [installed, stack] = await Promise.all([
    installPackedClient(),
    startLocalStack({ dataDir: folder.path, databaseUrl: database.url }),
  ]);
  await using cleanup = new AsyncDisposableStack();
  cleanup.use(installed);
  cleanup.use(stack);
  const { clientToken } = await (await fetch(`${stack.origin}/simulator/demo`)).json();

  await t.step(
    "holds what is built, with types, licence and README, and depends on nothing",
    async () => {
      const others = installed.files.filter((file) => !/^dist\/\w+\.(?:js|d\.ts)$/.test(file));
      assertEquals(others.sort(), ["LICENSE", "README.md", "package.json"]);
      const names = await Array.fromAsync(Deno.readDir(join(installed.folder, "node_modules")));
      assertEquals(names.map(({ name }) => name).sort(), [
        ".package-lock.json",
        "messaging-integration-client",
      ]);
    },
  );

  await t.step(
    "compiles what callers write and every example of the document, and nothing wrong",
    async () => {
      assertEquals(await findCompileFaults(installed), ["wrong_example.ts", "wrong_field.ts"]);
    },
  );

  const readProgram = async (runtime: string): Promise<string> => {
    const [program = ""] = await readBlocks("js");
    assertMatch(program, /54321[\s\S]*mia_\.\.\.[\s\S]*order-4711/);
    return program.replace("http://127.0.0.1:54321", stack.origin)
      .replace("mia_...", clientToken).replace("order-4711", `order-${runtime}`);
  };
  const printed = "sent Hello from the client\ncontact 5511988887777\n";

  for (const version of nodeVersions) {
    await t.step(`runs the README's program on Node ${version}`, async () => {
      const file = join(installed.folder, `node_${version}.mjs`);
      await Deno.writeTextFile(file, await readProgram(version));
      const node = join(await installNode(version), "node");
      assertEquals(await run(node, ["--version"], installed.folder), `v${version}\n`);
      assertEquals(await run(node, [file], installed.folder), printed);
    });
  }

  await t.step("runs it on Deno", async () => {
    const file = join(installed.folder, "deno.mjs");
    await Deno.writeTextFile(file, await readProgram("deno"));
    const args = ["run", "--allow-net=127.0.0.1", "--node-modules-dir=manual", file];
    assertEquals(await run(Deno.execPath(), args, installed.folder), printed);
  });

  const [bun, workerd] = await Promise.all([findBun(), findWorkerd()]);
  await t.step({
    name: `runs it on Bun${"missing" in bun ? ` (skipped: ${bun.missing})` : ""}`,
    ignore: "missing" in bun,
    fn: async () => {
      const file = join(installed.folder, "bun.mjs");
      await Deno.writeTextFile(file, await readProgram("bun"));
      const { path } = bun as { path: string };
      assertEquals(await run(path, ["run", file], installed.folder), printed);
    },
  });
  await t.step({
    name: `runs it in Workers${"missing" in workerd ? ` (skipped: ${workerd.missing})` : ""}`,
    ignore: "missing" in workerd,
    fn: async () => {
      const file = join(installed.folder, "worker_program.mjs");
      await Deno.writeTextFile(file, toWorker(await readProgram("workers")));
      const module = await bundleProgram(installed.folder, file);
      const { path } = workerd as { path: string };
      assertEquals(await callWorker(path, installed.folder, module), printed);
    },
  });

  const file = join(installed.folder, "page.mjs");
  await Deno.writeTextFile(file, await readProgram("browser"));
  const bundle = await bundleProgram(installed.folder, file);

  await t.step("is at most 20 kB, minified", async () => {
    const all = join(installed.folder, "all.mjs");
    await Deno.writeTextFile(all, 'export * from "messaging-integration-client";');
    const { length } = new TextEncoder().encode(await bundleProgram(installed.folder, all));
    assert(length <= maxBundleBytes, `${length} bytes`);
  });

  const browser = await findBrowser();
  await t.step({
    name: `runs it in Chromium${browser === null ? " (skipped: no Chromium is installed)" : ""}`,
    ignore: browser === null,
    fn: async () => assertEquals(await runInPage(browser ?? "", bundle), printed),
  });

  await t.step("each program has sent once", async () => {
    const messages = await readSent(stack);
    const others = [browser === null, "missing" in bun, "missing" in workerd]
      .filter((isMissing) => !isMissing).length;
    assertEquals(messages.length, nodeVersions.length + 1 + others);
  });
});

async function readSent(stack: LocalStack): Promise<unknown[]> {
  const messages = await stack.readSimulator("messages?to=5511988887777");
  return messages.filter(({ text }) => text === "Hello from the client");
}

/** The files that do not compile. */
async function findCompileFaults({ folder, compiler }: InstalledClient): Promise<string[]> {
  const texts = await writeCallers();
  const files = Object.keys(texts);
  for (const name of files) await Deno.writeTextFile(join(folder, name), texts[name] ?? "");
  const { stdout } = await new Deno.Command("node", {
    args: [
      compiler,
      ...["--noEmit", "--strict", "--pretty", "false", "--target", "es2022"],
      ...["--module", "nodenext", "--lib", "es2022,dom,dom.iterable", ...files],
    ],
    cwd: folder,
    stdin: "null",
  }).output();
  const faults = new TextDecoder().decode(stdout).matchAll(/^(\S+)\(\d+,\d+\): error .*$/gm);
  const found = Map.groupBy(faults, ([, file = ""]) => file);
  const wrong = [...found.keys()].filter((file) => file.startsWith("wrong"));
  // Any other file shows what is wrong with it.
  return [
    ...wrong,
    ...[...found].flatMap(([file, lines]) =>
      file.startsWith("wrong") ? [] : lines.map(([line]) => line)
    ),
  ].sort();
}

/** Node from the registry: one package for each platform. @returns the folder of its program. */
async function installNode(version: string): Promise<string> {
  const arch = { x86_64: "x64", aarch64: "arm64" }[Deno.build.arch as "x86_64" | "aarch64"];
  return await install(`node-${Deno.build.os}-${arch}@${version}`);
}

async function install(specifier: string): Promise<string> {
  const installed = await installNpmPackage(specifier);
  if ("failure" in installed) throw new Error(`${specifier}: ${installed.failure}`);
  return installed.folder;
}

async function bundleProgram(folder: string, file: string): Promise<string> {
  const esbuild = join(await install("esbuild@0.28.2"), "esbuild");
  // The README's program awaits at its top level, which a module may.
  return await run(esbuild, ["--bundle", "--minify", "--format=esm", file], folder);
}

/** Runs a module in a page of another origin. @returns what it logs. */
async function runInPage(executablePath: string, module: string): Promise<string> {
  await using site = startTestServer(() =>
    new Response(`<!doctype html><script type="module">${module}</script>`, {
      headers: { "content-type": "text/html" },
    })
  );
  await using opened = await openPage(executablePath, { width: 400, height: 300 });
  let logged = "";
  opened.page.on("console", (message) => logged += `${message.text()}\n`);
  opened.page.on("pageerror", (error) => logged += `${error.message}\n`);
  await opened.page.goto(site.origin);
  await waitUntil(() => logged.split("\n").length > 2, { what: "the program's two lines" })
    .catch((error) => {
      throw new Error(`${error.message}: ${logged}`);
    });
  return logged;
}
