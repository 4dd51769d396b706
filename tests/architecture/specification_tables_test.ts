import { assertEquals } from "../support/assert.ts";
import { readTextFiles } from "./repository.ts";

/** The tables of the specification, as the names of their tests begin. */
const tables = [
  "specification 2, Contact:",
  "specification 2, Tag:",
  "specification 2, Internal note:",
  "specification 2, Message:",
  "specification 2, Option list:",
  "specification 2, Template:",
  "specification 3, Conversation status:",
  "specification 3, Operator assignment:",
  "specification 3, AI agent pause:",
  "specification 3, Template status:",
  "specification 4.1: the body of conversations-api/assign",
  "specification 4.1: the body of conversations-api/status",
  "specification 4.1: the body of conversations-api/note",
  "specification 4.2: the query of messages-context",
  "specification 4.3: the body of contacts-api/create",
  "specification 4.3: the body of contacts-api/update",
  "specification 4.3: the body of contacts-api/tags",
  "specification 4.4: the body of send-message",
  "specification 4.5: the body of process-ai-agent",
  "specification 4.6: the body of sanitize-phone-number",
  "specification 4.7: the body of send-template-message",
  "specification 4.7, keys of variables:",
  "specification 7, Errors:",
  "specification 8, queue interval:",
  "specification 8, queue send window:",
  "specification 8, AI-agent pause:",
  "specification 8, limit:",
  "specification 8, media URL:",
  "specification 8, outside-window sending:",
] as const;

function readTestNames(text: string): string[] {
  return [...text.matchAll(/\bDeno\.test\(\s*(["`])([^"`]+)\1/g)].map((match) => match[2] ?? "");
}

Deno.test("each table of the specification has its test by name", async () => {
  const files = await readTextFiles("tests/functions/specification");
  const names = files.flatMap(({ text }) => readTestNames(text));
  assertEquals(tables.filter((table) => !names.some((name) => name.startsWith(table))), []);
});

Deno.test("the names of tests are read, those with a value in them too", () => {
  const text = 'Deno.test("a: b", f);\nDeno.test(`c: ${d}`, f);\n// "specification 9: x"';
  assertEquals(readTestNames(text), ["a: b", "c: ${d}"]);
});
