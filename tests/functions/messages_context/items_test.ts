import { assert, assertEquals } from "../../support/assert.ts";
import { demoTarget, startService } from "../contract/service.ts";

/** The table Message, and which of its fields only `includeMeta` shows. */
const messageFields = [
  ["role", "string", false],
  ["sender", "string", false],
  ["content", "string", false],
  ["timestamp", "number", false],
  ["status", "string", false],
  ["messageId", "string", true],
  ["messageType", "string", true],
  ["isGroup", "boolean", true],
  ["chatName", "null", true],
  ["cardId", "string", true],
] as const;

// Specification 2, Message.
Deno.test("an item of the history has exactly its documented fields, in their types", async () => {
  await using service = await startService();
  await service.post("/functions/v1/send-message", {
    ...demoTarget,
    messageType: "text",
    message: "Olá",
    cardId: "card-1",
  });
  const typeOf = (value: unknown): string => value === null ? "null" : typeof value;
  for (const includeMeta of [true, false]) {
    const { body } = await service.call("GET", "/functions/v1/messages-context", {
      ...demoTarget,
      start: localDay(-1),
      end: localDay(1),
      includeMeta,
    });
    const [item] = body.conversation;
    const types = Object.fromEntries(
      Object.entries(item).map(([field, value]) => [field, typeOf(value)]),
    );
    const shown = messageFields.filter(([, , isMeta]) => includeMeta || !isMeta);
    assertEquals(types, Object.fromEntries(shown.map(([field, type]) => [field, type])));
    assertEquals([item.role, item.status, item.content], ["assistant", "sent", "Olá"]);
    assert(Math.abs(item.timestamp - Date.now() / 1_000) < 60, "in Unix seconds");
  }
});

function localDay(offsetDays: number): string {
  return new Date(Date.now() + offsetDays * 86_400_000).toISOString().slice(0, 10);
}
