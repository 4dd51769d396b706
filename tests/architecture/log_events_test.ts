import { assertEquals } from "../support/assert.ts";
import { readTables } from "./markdown.ts";
import { readText, readTextFiles } from "./repository.ts";

/** An event is what happened: words in snake_case of which the last is a participle. */
const eventName = /^[a-z]+(?:_[a-z]+)*ed$/;

/** The events that a source logs, as `<event> <level>`. */
function readLoggedEvents(text: string): string[] {
  const calls = text.matchAll(/log\.(info|error)\(\s*"([^"]+)"/gi);
  const lines = text.matchAll(/level: "(info|error)",\s+event: "([^"]+)"/g);
  return [...calls, ...lines].map(([, level = "", event = ""]) => `${event} ${level}`);
}

async function listLoggedEvents(): Promise<string[]> {
  const files = await readTextFiles("functions", "shared", "supabase");
  const sources = files.filter(({ path }) => path.endsWith(".ts"));
  return [...new Set(sources.flatMap(({ text }) => readLoggedEvents(text)))].sort();
}

Deno.test("every log event stands in docs/operations.md with its level, and no other does", async () => {
  const page = { path: "docs/operations.md", text: await readText("docs/operations.md") };
  const documented = readTables(page, ["Event", "Level", "Meaning"])
    .map(([event = "", level = ""]) => `${event.replaceAll("`", "")} ${level}`).sort();
  assertEquals(documented, await listLoggedEvents());
});

Deno.test("every log event says what happened", async () => {
  const names = (await listLoggedEvents()).map((event) => event.split(" ")[0] ?? "");
  assertEquals(names.filter((name) => !eventName.test(name)), []);
});

Deno.test("log events are found on one line and on several", () => {
  const text = `log.info("a_sent", {}); consoleLog.error(\n  "b_failed",\n  {});
    JSON.stringify({ level: "info", event: "c_done" }); other.info("d");`;
  assertEquals(readLoggedEvents(text), ["a_sent info", "b_failed error", "c_done info"]);
});
