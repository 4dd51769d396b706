import { assertEquals } from "../support/assert.ts";
import { readTextFiles } from "./repository.ts";

/** An edit under way, which events leave out; the file's id, which is in the snapshot's `media`, and the question's, in `question`. */
const leftOut: ReadonlySet<string> = new Set(["change", "media_id", "question_id"]);

/** The columns of its message that a SQL function reads. */
function listReadColumns(sql: string): string[] {
  const text = sql.replace(/--[^\n]*/g, "");
  return [...new Set(Array.from(text.matchAll(/\bmessage\.(\w+)/g), ([, name = ""]) => name))];
}

/** The attributes of a composite type. */
function listAttributes(sql: string): string[] {
  const [, body = ""] = /create type \S+ as \(([^)]*)\)/.exec(sql) ?? [];
  return Array.from(body.matchAll(/^\s+(\w+) \w/gm), ([, name = ""]) => name);
}

/** What a record shows of its message's row, and an event's snapshot of it lacks. */
function findMissing(record: string, snapshot: string): string[] {
  const kept = new Set(listAttributes(snapshot));
  return listReadColumns(record).filter((name) => !kept.has(name) && !leftOut.has(name));
}

Deno.test("an event keeps every column that a message's record shows", async () => {
  const files = await readTextFiles("supabase/schemas");
  const read = (name: string): string =>
    files.find(({ path }) => path.endsWith(`/${name}.sql`))?.text ?? "";
  const record = read("message_record");
  assertEquals(listReadColumns(record).includes("card_id"), true);
  assertEquals(findMissing(record, read("message_snapshot")), []);
});

Deno.test("a column that the snapshot lacks is found", () => {
  const record = "select message.card_id, message.change, message.campaign -- message.note";
  const snapshot = "create type messaging.message_snapshot as (\n  id uuid,\n  card_id text\n);";
  assertEquals(findMissing(record, snapshot), ["campaign"]);
});
