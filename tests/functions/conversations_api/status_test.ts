import { assertEquals } from "../../support/assert.ts";
import { demoTarget, startService } from "../contract/service.ts";

const conversationsApi = "/functions/v1/conversations-api";
const statuses = ["open", "closed", "pending"] as const;

// Specification 3, Conversation status.
Deno.test("a conversation goes from any status to any other, with a note if one is given", async () => {
  await using service = await startService();
  const setStatus = (status: string, internalNote?: string) =>
    service.post(`${conversationsApi}/status`, {
      ...demoTarget,
      status,
      ...(internalNote === undefined ? {} : { internalNote }),
    });
  let notes = 0;
  for (const from of statuses) {
    for (const to of statuses) {
      await setStatus(from);
      for (const note of [undefined, `${from} para ${to}`]) {
        const { conversationId, ...answer } = await setStatus(to, note);
        if (note !== undefined) notes += 1;
        assertEquals(answer, {
          success: true,
          contactId: answer.contactId,
          status: to,
          noteAdded: note !== undefined,
        });
        const [row] = await service.sql`
          select c.status, (
            select count(*)::int from messaging.internal_notes n where n.conversation_id = c.id
          ) as notes
          from messaging.conversations c where c.id = ${conversationId}`;
        assertEquals([row?.["status"], row?.["notes"]], [to, notes]);
      }
    }
  }
});
