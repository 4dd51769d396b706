/** The simulator's records in a file. */
import { join } from "node:path";
import { keepHistory, readHistory } from "../../supabase/local/simulator/history.ts";
import { fillContent } from "../../supabase/local/simulator/records.ts";
import { Store } from "../../supabase/local/simulator/store.ts";
import { assertEquals } from "../support/assert.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";

const chat = {
  provider: "whatsapp_cloud",
  instance: "104857600000001",
  waId: "5511944443333",
} as const;

function addMessage(store: Store, providerMessageId: string): void {
  store.addMessage({
    ...fillContent({ messageType: "text", text: "Olá" }),
    ...{ ...chat, providerMessageId, to: chat.waId, typingMs: 0, correlationId: null },
    ...{ replyTo: null, answer: "accepted", body: {} },
  });
}

Deno.test("a store goes on with the records of its file: their numbers, what was cleared, and no unfinished line", async () => {
  await using folder = await makeTemporaryFolder();
  const file = join(folder.path, "simulator", "history.jsonl");
  assertEquals(await readHistory(file), []);
  const store = new Store(() => new Date());
  const first = await keepHistory(store, file);
  addMessage(store, "m1");
  store.addTyping({ ...chat, durationMs: 1_000 });
  store.clear("messages");
  addMessage(store, "m2");
  store.addStatus({ ...chat, providerMessageId: "m2", status: "delivered" });
  await first.close();
  const kept = store.list();
  assertEquals(kept.map(({ kind, record }) => [kind, record.seq]), [
    ["typings", 2],
    ["messages", 3],
    ["statuses", 4],
  ]);
  assertEquals(await readHistory(file), kept);

  // A killed process leaves half a line.
  await Deno.writeTextFile(file, '{"kind":"messages","record":{"seq":5,', { append: true });
  const next = new Store(() => new Date());
  next.restore(await readHistory(file));
  assertEquals(next.list(), kept);
  const second = await keepHistory(next, file);
  addMessage(next, "m3");
  await second.close();
  assertEquals((await readHistory(file)).at(-1)?.record.seq, 5);
  await Deno.writeTextFile(file, '{"format":0}\n{"kind":"messages","record":{"seq":1}}\n');
  assertEquals(await readHistory(file), [], "another format");
});
