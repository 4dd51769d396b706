import { assertEquals } from "../support/assert.ts";
import { listNames, readTextFiles } from "./repository.ts";

/** The tables of docs/specification.md, as comments above their tests cite them. */
const tables = [
  "2, Contact",
  "2, Tag",
  "2, Internal note",
  "2, Message",
  "2, Option list",
  "2, Template",
  "3, Conversation status",
  "3, Operator assignment",
  "3, AI agent pause",
  "3, Template status",
  "4.1, conversations-api/assign",
  "4.1, conversations-api/status",
  "4.1, conversations-api/note",
  "4.2, messages-context",
  "4.3, contacts-api/create",
  "4.3, contacts-api/update",
  "4.3, contacts-api/tags",
  "4.4, send-message",
  "4.5, process-ai-agent",
  "4.6, sanitize-phone-number",
  "4.7, send-template-message",
  "4.7, keys of variables",
  "7, Errors",
  "8, queue interval",
  "8, queue send window",
  "8, AI-agent pause",
  "8, limit",
  "8, media URL",
  "8, outside-window sending",
] as const;

/** Citations in comments directly above a test, or above a loop that creates tests. */
function readCitedTables(text: string): string[] {
  const comments = text.matchAll(/^\/\/ Specification (.+)\.\n(?:Deno\.test\(|for \()/gm);
  return Array.from(comments, ([, table = ""]) => table);
}

Deno.test("each table of the specification has a test that cites it", async () => {
  const files = await readTextFiles("tests/functions");
  const cited = new Set(files.flatMap(({ text }) => readCitedTables(text)));
  assertEquals(tables.filter((table) => !cited.has(table)), []);
});

Deno.test("a citation counts above a test or a loop of tests, not elsewhere", () => {
  const text = `// Specification 2, Tag.
Deno.test("a", f);
// Specification 4.7, keys of variables.
for (const row of rows) {}
// Specification 9, a.
const b = 1;
`;
  assertEquals(readCitedTables(text), ["2, Tag", "4.7, keys of variables"]);
});

Deno.test("every endpoint has a folder of tests by its name", async () => {
  const endpoints = await listNames("functions");
  const folders = await listNames("tests/functions");
  const missing = endpoints.map((slug) => slug.replaceAll("-", "_"))
    .filter((name) => !folders.includes(name));
  assertEquals(missing, []);
});
