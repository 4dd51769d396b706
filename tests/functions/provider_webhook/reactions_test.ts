/** A reaction is an event of its own: it moves nothing that a message moves. */

import { providerKinds } from "../../../shared/model/provider_kind.ts";
import { assertEquals } from "../../support/assert.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { readFeed } from "./channels.ts";
import { createWebhookClient, phone } from "./webhook_client.ts";

Deno.test("a reaction and its taking back are events of their own, on every channel", async () => {
  await using client = await createWebhookClient();
  for (const provider of providerKinds) {
    const tenant = await client.createTenant({ provider });
    const { toText, toReaction } = factsOf[provider];
    const reaction = toReaction("R1", "M1", "👍");
    const takenBack = toReaction("R2", "M1", null);
    for (
      const [payload, recorded] of [
        ...[[toText("M1", "oi"), 1], [reaction, 1], [takenBack, 1], [takenBack, 0]] as const,
      ]
    ) {
      const { body } = await client.tell(provider, tenant, payload);
      assertEquals(body.recorded, recorded, provider);
    }
    const [message, given, taken] = await readFeed(client, tenant);
    const { messageId } = message?.data ?? {};
    assertEquals([given?.type, taken?.type], ["message.reaction", "message.reaction"]);
    assertEquals(given?.data.reaction, { messageId, emoji: "👍" });
    assertEquals(taken?.data.reaction, { messageId, emoji: null });
    assertEquals(
      [given?.data.direction, given?.data.messageType, given?.data.quotedMessageId],
      ["inbound", "reaction", messageId],
    );
    assertEquals((await readFeed(client, tenant)).length, 3);
  }
});

Deno.test("a reaction opens no window, is no newest message, reopens no conversation and asks no agent", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await client.receive(tenant, { messageId: "M1", text: { message: "oi" } });
  const read = async (): Promise<unknown> => {
    const [row] = await client.stack.admin`
      select c.last_inbound_at, a.last_message_at, a.awaits_reply, v.status
      from messaging.contacts c
      join messaging.contact_activity a on a.contact_id = c.id
      join messaging.conversations v on v.contact_id = c.id
      where c.instance_id = ${tenant.instanceId}`;
    return row;
  };
  await client.stack.admin`update messaging.conversations set status = 'closed'
    where instance_id = ${tenant.instanceId}`;
  await client.stack.admin`insert into messaging.ai_agents (instance_id, name, instructions, model)
    values (${tenant.instanceId}, 'A', 'B', 'c')`;
  const before = await read();
  await client.tell("zapi", tenant, factsOf.zapi.toReaction("R1", "M1", "👍"));
  assertEquals(await read(), before);
  const [asked] = await client.stack.admin`
    select count(*)::int as count from messaging.outbox where kind = 'agent_reply'`;
  assertEquals(asked?.["count"], 0);
});

Deno.test("a reaction to a message that is not stored keeps the provider's id of it", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await client.tell("zapi", tenant, factsOf.zapi.toReaction("R1", "NOT-STORED", "❤️"));
  const [told] = await readFeed(client, tenant);
  assertEquals(told?.data.reaction, { messageId: null, emoji: "❤️" });
  assertEquals(told?.data.quotedProviderMessageId, "NOT-STORED");
  assertEquals(told?.data.contact.phone, phone);
});
