import { fileURLToPath } from "node:url";
import { storeStackKeys } from "../../supabase/local/stack_keys.ts";
import { assert, assertEquals, assertFalse, assertMatch } from "../support/assert.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const deploy = "supabase/deploy/deploy.ts";
const cronCheck = "supabase/deploy/cron_check.ts";
const admin = "supabase/admin/admin.ts";
/** Unsets what this machine may have set: an empty variable counts as absent. */
const nowhere: Readonly<Record<string, string>> = {
  DATABASE_URL: "",
  SUPABASE_PROJECT_REF: "",
  SUPABASE_ACCESS_TOKEN: "",
  SUPABASE_DB_PASSWORD: "",
  SUPABASE_DB_URL: "",
  API_URL: "",
  SUPABASE_URL: "",
  SUPABASE_SECRET_KEY: "",
  NO_COLOR: "1",
};

Deno.test("deploy and cron:check print their help with --help, and do nothing else", async () => {
  for (const command of [deploy, cronCheck]) {
    const { code, output, errors } = await run(command, ["--help"]);
    assertEquals([code, errors], [0, ""]);
    assertMatch(output, /^Usage: deno task (?:deploy|cron:check)/);
  }
});

Deno.test("deploy and cron:check reject an unknown argument, and do nothing", async () => {
  for (const command of [deploy, cronCheck]) {
    for (const argument of ["--force", "send-message"]) {
      const { code, output, errors } = await run(command, [argument]);
      assertEquals([code, output], [2, ""]);
      assertMatch(errors, /^error: [^]*Usage: deno task /, `${command} ${argument}`);
    }
  }
});

Deno.test("deploy and cron:check name missing variables on standard error", async () => {
  const deployment = await run(deploy, []);
  assertEquals([deployment.code, deployment.output], [2, ""]);
  assertEquals(deployment.errors.match(/ is missing: /g)?.length, 3);
  const check = await run(cronCheck, []);
  assertEquals([check.code, check.output], [2, ""]);
  assertMatch(check.errors, /^DATABASE_URL is missing: .*\n$/);
});

Deno.test("cron:check prints neither password nor stack trace for an invalid connection string", async () => {
  const { code, output, errors } = await run(cronCheck, [], {
    DATABASE_URL: "postgres://postgres:p#w/x@db.example.com:5432/postgres",
  });
  assertEquals([code, output], [2, ""]);
  assertMatch(errors, /^DATABASE_URL is not a valid connection string .*\n$/);
  assertFalse(errors.includes("p#w/x"));
});

Deno.test("admin reads the local stack's key from its data folder, and sends it to 127.0.0.1 only", async () => {
  await using api = startEchoingApi();
  await using folder = await makeTemporaryFolder();
  const local = { SUPABASE_URL: api.url, DATA_DIR: folder.path };
  const list = ["workspaces", "list"];
  const tooEarly = await run(admin, list, local);
  assertEquals([tooEarly.code, tooEarly.output], [2, ""]);
  assertMatch(tooEarly.errors, /^There is no secret key: .*keys\.json.*\n$/);

  const { secretKey } = await storeStackKeys(folder.path);
  const found = await run(admin, list, local);
  assertEquals([found.code, found.errors], [0, ""]);
  assert(found.output.includes(secretKey), "an empty SUPABASE_SECRET_KEY is an absent one");
  const given = await run(admin, list, { ...local, SUPABASE_SECRET_KEY: "sb_secret_given" });
  assertMatch(given.output, /sb_secret_given/);

  const elsewhere = { ...local, API_URL: "https://project.example.com" };
  const refused = await run(admin, list, elsewhere);
  assertEquals([refused.code, refused.output], [2, ""]);
  assertMatch(refused.errors, /^SUPABASE_SECRET_KEY is missing: .*\n$/);
});

Deno.test("admin prints no stack trace for an invalid address", async () => {
  const misled = await run(admin, ["workspaces", "list"], { API_URL: "127.0.0.1:54321" });
  assertEquals([misled.code, misled.output], [2, ""]);
  assertMatch(misled.errors, /^API_URL .*\n$/);
});

/** An API that answers with the key of the request. */
function startEchoingApi(): { readonly url: string } & AsyncDisposable {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => Response.json({ success: true, items: [{ name: request.headers.get("apikey") }] }),
  );
  const url = `http://127.0.0.1:${server.addr.port}/`;
  return { url, [Symbol.asyncDispose]: () => server.shutdown() };
}

interface CommandResult {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command of the repository as its task does. */
async function run(
  path: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "-A", "--lock=deno.lock", path, ...args],
    cwd: root,
    env: { ...nowhere, ...environment },
    stdin: "null",
  }).output();
  const read = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return { code, output: read(stdout), errors: read(stderr) };
}
