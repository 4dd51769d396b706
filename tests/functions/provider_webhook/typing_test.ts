/** Typing that a gateway tells prolongs an open turn, and nothing of it is kept. */

import { assertEquals } from "../../support/assert.ts";
import { createWebhookClient } from "./webhook_client.ts";

Deno.test("a delivery about typing moves the end of the open turn, is not kept, and changes nothing without turns", async () => {
  for (const hasTurns of [true, false]) {
    await using client = await createWebhookClient();
    const tenant = await client.createTenant();
    const { admin } = client.stack;
    const turns = { quietSeconds: 60, maxSeconds: 300 };
    await admin`update messaging.instances set turns = ${hasTurns ? admin.json(turns) : null}`;
    await client.receive(tenant, { messageId: "in-1", text: { message: "oi" } });
    const read = async (): Promise<{ phone: string; payloads: number; due: Date | null }> => {
      const [row] = await admin<{ phone: string; payloads: number; due: Date | null }[]>`
        select c.phone, t.due_at as due,
          (select count(*)::integer from messaging.provider_events) as payloads
        from messaging.contacts c left join messaging.conversation_turns t on t.contact_id = c.id`;
      return row!;
    };
    await admin`update messaging.conversation_turns set due_at = due_at - interval '30 seconds'`;
    const before = await read();
    const callback = { type: "PresenceChatCallback", phone: before.phone, status: "COMPOSING" };
    await client.zapi(tenant, callback);
    const after = await read();
    assertEquals(after.payloads, before.payloads);
    assertEquals(hasTurns, after.due !== null);
    assertEquals((after.due ?? 0) > (before.due ?? 0), hasTurns);
  }
});
