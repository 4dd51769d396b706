import { assertEquals } from "../../support/assert.ts";
import { demoTarget, startService } from "../contract/service.ts";

// Specification 2, Internal note.
Deno.test("an internal note is kept with the conversation and never sent", async () => {
  await using service = await startService();
  const { noteId, contactId } = await service.post("/functions/v1/conversations-api/note", {
    ...demoTarget,
    note: "Só para operadores.",
  });
  const [row] = await service.sql`
    select n.*, c.contact_id from messaging.internal_notes n
    join messaging.conversations c on c.id = n.conversation_id where n.id = ${noteId}`;
  assertEquals([row?.["note"], row?.["contact_id"]], ["Só para operadores.", contactId]);
  assertEquals(service.contract.stack.provider.requests.length, 0);
});
