/** The command line beside a started stack, as a user types it: with the data folder alone. */
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { makeTemporaryFolder, spawnLocalStack } from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Run {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

async function runAdmin(dataDir: string, args: readonly string[]): Promise<Run> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "-A", "supabase/admin/admin.ts", ...args],
    cwd: root,
    // An empty variable counts as absent; no port names the stack.
    env: {
      DATA_DIR: dataDir,
      ...{ PORT: "", API_URL: "", SUPABASE_URL: "", SUPABASE_SECRET_KEY: "", NO_COLOR: "1" },
    },
    stdin: "null",
  }).output();
  const read = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return { code, output: read(stdout), errors: read(stderr) };
}

Deno.test("admin finds the stack of its data folder on any port, waits while it starts, and works the official channel through as its help says", async (test) => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  const dataDir = `${folder.path}/.local`;
  await using stack = spawnLocalStack({
    dataDir,
    databaseUrl: database.url,
    // The stack generates its keys, as it does for a user.
    environment: { SUPABASE_SECRET_KEY: "" },
  });
  const isThere = (path: string): Promise<boolean> => Deno.stat(path).then(() => true, () => false);
  await waitUntil(() => isThere(`${dataDir}/running.json`), { what: "a stack that starts" });

  await test.step("a call during the start waits, and says so", async () => {
    const { code, output, errors } = await runAdmin(dataDir, ["health"]);
    assertEquals(code, 0, errors);
    assertMatch(output, /^status +ok$/m);
    assertMatch(output, /Need attention:\nNone\./);
    // A fast machine may have started it by then.
    assert(errors === "" || /is not ready yet\. Waiting for it\./.test(errors), errors);
  });

  await test.step("the help's example makes an official instance", async () => {
    const { output: help } = await runAdmin(dataDir, ["instances", "--help"]);
    assertMatch(help, /1 \(Monday\) to 7 \(Sunday\)/);
    const [, config = ""] = /echo '(\{.*\})' > official\.json/.exec(help) ?? [];
    const file = `${folder.path}/official.json`;
    await Deno.writeTextFile(file, config.replaceAll("http://127.0.0.1:54321", stack.origin));
    const calls = Array.from(
      help.slice(help.indexOf("official.json")).matchAll(/deno task admin (.+)/g),
      ([, call]) => call ?? "",
    );
    assertEquals(calls.length, 3);
    const made = await runJson(dataDir, ["workspaces", "create", "--name", "Clinic"]);
    const values: Record<string, string> = {
      "<workspaceId>": String(made["workspaceId"]),
      "@official.json": `@${file}`,
    };
    for (const call of calls) {
      const args = (call.match(/"[^"]*"|\S+/g) ?? []).map((word) =>
        values[word] ?? word.replaceAll('"', "")
      );
      const answer = await runJson(dataDir, args);
      if (typeof answer["instanceId"] === "string") {
        values["<instanceId>"] = answer["instanceId"];
      }
      if (call.startsWith("templates")) {
        assertEquals((answer["items"] as unknown[]).length, 4);
      }
    }
  });

  await test.step("a stack that has stopped is not looked for", async () => {
    stack.signal("SIGINT");
    await stack.ended();
    assertEquals(await isThere(`${dataDir}/running.json`), false);
  });
});

async function runJson(
  dataDir: string,
  args: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const { code, output, errors } = await runAdmin(dataDir, ["--json", ...args]);
  assertEquals(code, 0, `${args.join(" ")}: ${errors}`);
  return JSON.parse(output);
}

Deno.test("admin waits for a stack that is not ready, and says so once", async () => {
  await using folder = await makeTemporaryFolder();
  let asked = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      if (new URL(request.url).pathname !== "/health") {
        return Response.json({ success: true, items: [] });
      }
      asked += 1;
      if (asked < 3) return Response.json({ status: "not_ready" }, { status: 503 });
      // As a stack does: the keys are there when it is ready.
      await Deno.writeTextFile(
        `${folder.path}/keys.json`,
        JSON.stringify({ secretKey: "s".repeat(40), credentialsKeys: "c".repeat(44) }),
      );
      return Response.json({ status: "ok" });
    },
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  await Deno.writeTextFile(`${folder.path}/running.json`, JSON.stringify({ origin }));
  const { code, output, errors } = await runAdmin(folder.path, ["workspaces", "list"]);
  await server.shutdown();
  assertEquals([code, output], [0, "None.\n"]);
  assertEquals(errors, `The local stack at ${origin} is not ready yet. Waiting for it.\n`);
});
