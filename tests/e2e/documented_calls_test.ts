import { assertEquals, assertMatch } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  startLocalStack,
} from "../support/stack/local_stack.ts";

/** In the order in which a reader runs them, in one shell. */
const pages = ["README.md", "docs/tour.md", "docs/your-own-instance.md", "docs/api.md"];

/** The `sh` blocks of the pages but those that start programs: what a reader pastes into a terminal. */
async function readCalls(): Promise<string[]> {
  const texts = await Promise.all(
    pages.map((page) => Deno.readTextFile(new URL(`../../${page}`, import.meta.url))),
  );
  return texts.flatMap((text) => Array.from(text.matchAll(/^```sh\n([\s\S]*?)^```/gm)))
    .map(([, block]) => block ?? "").filter((block) => !block.includes("npx "));
}

async function runCalls(calls: readonly string[], dataDir: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", ["set -euo pipefail", ...calls].join("\n")],
    // Where `.local/keys.json` is.
    cwd: dataDir,
    stdout: "piped",
    stderr: "piped",
  }).output();
  const [out = "", errors = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assertEquals({ success, errors }, { success: true, errors: "" }, out);
  return out;
}

const isEquipped = await new Deno.Command("bash", { args: ["-c", "command -v curl node"] })
  .output().then(({ success }) => success, () => false);
const missing = isEquipped ? "" : " (skipped: no bash, curl or node is installed)";

Deno.test({
  name: `the calls of the README and of docs/ work one after another${missing}`,
  ignore: !isEquipped,
  fn: runDocumentedCalls,
});

async function runDocumentedCalls(): Promise<void> {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack: LocalStack = await startLocalStack({
    dataDir: `${folder.path}/.local`,
    databaseUrl: database.url,
    // The stack generates its keys, as it does for a reader.
    environment: { SUPABASE_SECRET_KEY: "" },
  });
  const calls = (await readCalls()).map((call) =>
    call.replaceAll("http://127.0.0.1:54321", stack.origin)
  );
  const out = await runCalls(calls, folder.path);
  const modes = Array.from(out.matchAll(/"mode":"(\w+)"/g), ([, mode]) => mode);
  // Hello, the agent's opening, three queued, hello again; the Friday night's message, and order 1042.
  assertEquals(modes, ["sent", "sent", "queued", "queued", "queued", "sent", "queued", "sent"]);
  assertEquals(out.match(/"success":false/g), null);
  assertMatch(out, /"heldBy":null[\s\S]*"heldBy":"interval"[\s\S]*"heldBy":"interval"/);
  assertMatch(out, /"role":"assistant"/);
  assertMatch(out, /"total":[23]\b/);
}
