import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { readSteps } from "../support/machine/documented_steps.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  startLocalStack,
} from "../support/stack/local_stack.ts";

/** What the calls of a page answer, where it is not success alone. */
interface Expectation {
  /** `mode` of each send, in order. */
  readonly modes?: readonly string[];
  /** Codes of the refusals that the page shows. */
  readonly refusals?: readonly string[];
  /** What else its output has. */
  readonly shows?: readonly RegExp[];
}

const root = new URL("../../", import.meta.url);

/** The pages that a reader goes through first; the others build on their variables, numbers and contacts. */
const firstPages = [
  ...["README.md", "docs/tour.md", "docs/your-own-instance.md", "docs/official-channel.md"],
];

/** Pages whose commands another test follows: they need a machine of their own. */
const pagesOfOtherTests = ["docs/one-machine.md"];

const expectations: Readonly<Record<string, Expectation>> = {
  "README.md": { modes: ["sent"], shows: [/"type":"message\.sent"/] },
  "docs/tour.md": {
    // The agent's opening, three queued, hello again.
    modes: ["sent", "queued", "queued", "queued", "sent"],
    shows: [
      /"heldBy":null[\s\S]*"heldBy":"interval"[\s\S]*"heldBy":"interval"/,
      /"role":"assistant"/,
      /"total":[23]\b/,
    ],
  },
  "docs/your-own-instance.md": { modes: ["queued"] },
  "docs/agent.md": {
    modes: ["sent"],
    shows: [
      /Você é a Lia, da Clínica Sol\. Maria tem consulta sexta às 9h com Dra\. Ana\./,
      /You wrote: “Posso sim\. Preciso levar algo\?”/,
      /"paused":true[^]*"paused":true[^]*"paused":false/,
      /"type":"agent\.paused"[^]*"type":"agent\.resumed"/,
    ],
  },
  "docs/api.md": { modes: ["sent"] },
  "docs/connecting.md": {
    shows: [/\bconnected\b[^]*"phone":"5511999990000"[^]*\bconnected\b/],
  },
  "docs/choices.md": { shows: [/\bevening\n/] },
  "docs/events.md": { shows: [/"secret":"whsec_/, /"type":"message\.sent"/] },
  "docs/media.md": { modes: ["sent"] },
  "docs/official-channel.md": {
    modes: ["sent"],
    shows: [/"type":"message\.failed"/, /"code":"131047"/, /"provider":"official"/],
  },
  "docs/payments.md": { shows: [/"templateName":"cobranca".*"reference":"order-4713".*"pixCode"/] },
  "docs/privacy.md": { shows: [/"messagesDays":365/, /"erasureId":/, /"marketing":"denied"/] },
  "docs/batches.md": {
    shows: [
      /"path":"variables\.hora","message":"is required"/,
      /"send":2,"skip":\{"missing_variables":1\}/,
      /100 % {2}3\/3 {2}finished {2}.*1 skipped/,
      /"cardId":"4711"/,
      /"send":1,"skip":\{\}/,
      /"samples":\[\{"index":0,"message":"Oi Maria, a sua consulta é sexta às 9h\."\}/,
      /^"1","5511988880106","4716","pending","","","",""$/m,
    ],
  },
  "docs/contacts.md": {
    modes: ["sent"],
    shows: [
      /"action":"created"/,
      /"tagsApplied":\["vip","consulta"\]/,
      /"name":"Maria Souza"/,
      /"transferred":false/,
      /"paused":true[^]*"paused":false/,
      /Conversa transferida de Rita Prado para Davi Reis\./,
      /Conversa retirada de Davi Reis: agora está sem operador\./,
    ],
  },
  "docs/cost.md": { shows: [/Brazil \(invented\)/] },
  "docs/operations.md": {
    modes: ["queued"],
    shows: [
      /^Need attention:$/m,
      /"holdReason"/,
      / \d+ +0 +rehearsal\n/,
      /^[0-9a-f-]{36} +Demo +disconnected /m,
    ],
  },
  "docs/pace.md": {
    shows: [/pace\.messagesPerSecond +80\b/, /\bHIGH\b/, /pace\.messagesPerSecond +500\b/],
  },
  "docs/templates.md": {
    shows: [
      /pedido_saiu\.pt_BR\.json: valid/,
      /\+ pedido_saiu pt_BR\n\+ pedido_saiu pt_BR\n {2}PENDING\n/,
      /"status":"APPROVED"/,
      /"variables":\["header","1","2","button_1"\]/,
      /"templateName":"pedido_saiu".*"status":"sent"/,
      /"templateName":"catalogo".*"status":"sent"/,
      /"categoryChanged":false/,
      /written templates\/pedido_entregue\.pt_BR\.json/,
    ],
  },
  "docs/received.md": { shows: [/(^|\})3$/m] },
  "docs/sending-later.md": { shows: [/"status":"queued"/, /"heldBy":"delay"/, /"canceled":1\b/] },
};

/** The pages with calls or commands, in the order in which a reader opens them. */
async function listPages(): Promise<string[]> {
  const names = (await Array.fromAsync(Deno.readDir(new URL("docs/", root))))
    .map(({ name }) => `docs/${name}`).filter((path) => path.endsWith(".md")).sort();
  const others = names.filter((path) => !firstPages.includes(path));
  const pages = [...firstPages, ...others].filter((path) => !pagesOfOtherTests.includes(path));
  const blocks = await Promise.all(pages.map(readBlocks));
  return pages.filter((_, index) =>
    blocks[index]?.some((block) => /\bcurl\b/.test(block) || block.includes(adminCommand))
  );
}

/**
 * The `sh` blocks of a page for the local stack. Those within a list are for a project on Supabase, and
 * those below `<!-- elsewhere: … -->` say what they need.
 */
async function readBlocks(path: string): Promise<string[]> {
  return (await readSteps(new URL(path, root)))
    .filter(({ name, language, isInList }) =>
      language === "sh" && !isInList && !name.startsWith("elsewhere: ")
    ).map(({ text }) => text);
}

/** What a reader pastes into a terminal: blocks that start no other program than the command line. */
async function readCalls(path: string): Promise<string[]> {
  const blocks = await readBlocks(path);
  const mixed = blocks.filter((block) => startsProgram(block) && block.includes("curl "));
  assertEquals(mixed, [], "a block either calls the API or starts a program");
  const calls = blocks.filter((block) => !startsProgram(block));
  const gaps = calls.flatMap((block) => block.match(/<[a-z]\w*>|mia_\.\.\./gi) ?? []);
  assertEquals(gaps, [], `${path} has commands that nobody can paste`);
  return calls;
}

const adminCommand = "npx --yes deno@2.9.6 task admin ";

/** Whether a block starts something that a reader has or not: Node's tools, an AI client, the stack. */
function startsProgram(block: string): boolean {
  return /(?:npx|npm|mcp add|--add-mcp) /.test(block.replaceAll(adminCommand, ""));
}

/** `npx … task admin` as in the repository's folder, from the folder of the test. */
function defineAdmin(): string {
  const admin = fileURLToPath(new URL("supabase/admin/admin.ts", root));
  return `npx() { shift 4; "${Deno.execPath()}" run --quiet -A "${admin}" "$@"; }`;
}

/** What `tour.md` and `your-own-instance.md` give the shell of every other page. */
async function readPreparation(): Promise<string> {
  const [tour = ""] = await readCalls("docs/tour.md");
  const [key = ""] = (await readCalls("docs/your-own-instance.md")).join("\n")
    .match(/^KEY=.*$/m) ?? [];
  return `${defineAdmin()}\n${tour}\n${key}`;
}

async function runCalls(calls: readonly string[], folder: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", ["set -euo pipefail", ...calls].join("\n")],
    // Where `.local/keys.json` is.
    cwd: folder,
    env: {
      DATA_DIR: `${folder}/.local`,
      PORT: "",
      API_URL: "",
      SUPABASE_SECRET_KEY: "",
      NO_COLOR: "1",
    },
    stdout: "piped",
    stderr: "piped",
    // What a page waits for may never come.
    signal: AbortSignal.timeout(400_000),
  }).output();
  const [out = "", errors = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assertEquals({ success, errors }, { success: true, errors: "" }, out);
  return out;
}

const isEquipped = await new Deno.Command("bash", { args: ["-c", "command -v curl node"] })
  .output().then(({ success }) => success, () => false);
const missing = isEquipped ? "" : " (skipped: no bash, curl or node is installed)";

Deno.test({
  name: `every call of the README and of docs/ works on a started stack${missing}`,
  ignore: !isEquipped,
  fn: runDocumentedCalls,
});

async function runDocumentedCalls(test: Deno.TestContext): Promise<void> {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack: LocalStack = await startLocalStack({
    dataDir: `${folder.path}/.local`,
    databaseUrl: database.url,
    // The stack generates its keys, as it does for a reader.
    environment: { SUPABASE_SECRET_KEY: "" },
  });
  await Deno.writeTextFile(`${folder.path}/catalogue.pdf`, "%PDF-1.7\n1 0 obj\n<<>>\nendobj\n");
  await Deno.symlink(new URL("docs", root), `${folder.path}/docs`);
  const preparation = await readPreparation();
  const pages = await listPages();
  assertEquals(Object.keys(expectations).filter((path) => !pages.includes(path)), []);
  for (const path of pages) {
    await test.step(path, async () => {
      const calls = [preparation, ...await readCalls(path)]
        .map((call) => call.replaceAll("http://127.0.0.1:54321", stack.origin))
        // The longest that there is: a busy machine needs more patience than a reader.
        .map((call) => call.replaceAll(/\bwaitSeconds=\d+/g, "waitSeconds=20"));
      const out = await runCalls(calls, folder.path);
      const { modes, refusals = [], shows = [] } = expectations[path] ?? {};
      if (modes !== undefined) assertEquals(readMembers(out, "mode"), [...modes], out);
      assertEquals(readMembers(out, "error"), [...refusals], out);
      assert(!/"ignoredFields"/.test(out), out);
      for (const shown of shows) assertMatch(out, shown);
    });
  }
}

/** The values of a member of all answers, in order. */
function readMembers(out: string, name: string): (string | undefined)[] {
  return Array.from(out.matchAll(new RegExp(`"${name}":"([^"]+)"`, "g")), ([, value]) => value);
}
