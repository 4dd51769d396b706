/** WhatsApp's lock on new chats (463), told by a status of a message that the gateway had taken. */

import { assert, assertEquals } from "../../support/assert.ts";
import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { wahaEvent } from "../../support/providers/waha/facts.ts";
import { readFeed } from "./channels.ts";
import { createWebhookClient, phone, type WebhookClient } from "./webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

/** The status of a message by its id, as the gateway tells it. */
const statuses: Readonly<Partial<Record<ProviderKind, (id: string) => Body>>> = {
  // Page "On Send callback examples".
  zapi: (messageId) => ({
    ...{ phone, messageId, zaapId: messageId, momment: Date.now() },
    error: "The message was not sent due to a likely shadow ban",
    ...{ errorCode: "SHADOW_BAN", type: "DeliveryCallback" },
  }),
  // Issues 2642 and 2653 of evolution-foundation/evolution-api: Baileys' own update.
  evolution: (id) => ({
    event: "messages.update",
    data: {
      key: { remoteJid: `${phone}@s.whatsapp.net`, fromMe: true, id },
      update: { status: 0, messageStubParameters: ["463"] },
    },
  }),
  // NOWEB, 2026.7 (issue 2166 of devlikeapro/waha).
  waha: (id) =>
    wahaEvent("message.ack", {
      ...{ id: `true_${phone}@c.us_${id}`, from: `${phone}@c.us`, fromMe: true },
      ...{ participant: null, ack: -1, ackName: "ERROR" },
      error: { code: "463", blocked: true, reason: "account_restricted", until: null },
    }),
};

/** Asks for a message. @returns its id. */
async function say(
  { stack }: WebhookClient,
  tenant: Tenant,
  to: string,
  members: Body = {},
): Promise<string> {
  const text = { phone: to, messageType: "text", message: "Olá", ...members };
  return (await stack.send(tenant, text)).body.messageId;
}

async function dispatch({ stack }: WebhookClient): Promise<void> {
  for (let run = 0; run < 4; run++) {
    await letTimePass(stack.admin, 40);
    await stack.dispatch();
  }
}

async function read({ stack }: WebhookClient, tenant: Tenant, id: string): Promise<Body> {
  return (await stack.messages(tenant, "GET", `/messages/${id}`)).body;
}

for (const [provider, compose] of Object.entries(statuses)) {
  Deno.test(`${provider}: a refusal 463 that only a status tells fails the message and begins the lock`, async () => {
    await using client = await createWebhookClient();
    const { stack } = client;
    const tenant = await stack.createTenant({ provider: provider as ProviderKind });
    let last = 0;
    stack.provider.answer = () => {
      const id = `3EB0${++last}`;
      return Response.json({ zaapId: id, messageId: id, id, key: { id } }, { status: 201 });
    };
    const known = "5511900000001";
    await say(client, tenant, known);
    const sent = await say(client, tenant, phone);
    assertEquals((await read(client, tenant, sent)).status, "sent");
    for (const recorded of [1, 0]) {
      const told = await client.tell(provider as ProviderKind, tenant, compose("3EB02"));
      assertEquals([told.status, told.body.recorded], [200, recorded]);
    }
    const { status, lastError } = await read(client, tenant, sent);
    assertEquals([status, lastError.code], ["failed", "new_chat_locked"]);
    const { allowance } = (await stack.messages(tenant, "GET", "/health")).body;
    assertEquals([allowance.timeLock.isActive, allowance.timeLock.kind], [true, null]);
    const changes = await stack.admin`
      select data->>'reason' as reason from messaging.events
      where instance_id = ${tenant.instanceId} and type = 'instance.limit_changed'`;
    assertEquals(changes.map(({ reason }) => reason), ["NEW_CHAT_LOCKED"]);
    const failed = (await readFeed(client, tenant)).filter(({ type }) => type === "message.failed");
    assertEquals(failed.length, 1);

    const waiting = [
      await say(client, tenant, phone, { queued: true }),
      await say(client, tenant, "5511900000002", { queued: true }),
      await say(client, tenant, known, { queued: true }),
    ];
    await dispatch(client);
    const states = await Promise.all(waiting.map((id) => read(client, tenant, id)));
    assertEquals(states.map(({ status, heldBy }) => `${status} ${heldBy}`), [
      // Its chat was not opened by what was refused.
      ...["queued new_contacts", "queued new_contacts", "sent null"],
    ]);
    assert(Date.parse(states[0].scheduledFor) > Date.now() + 80_000_000);
    await stack.messages(tenant, "POST", `/messages/${sent}/retry`);
    await dispatch(client);
    const again = await read(client, tenant, sent);
    assertEquals([again.status, again.heldBy], ["queued", "new_contacts"], "nor is it by a retry");
  });
}

Deno.test("a refusal 463 whose status comes before the send is recorded begins the lock too", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await stack.createTenant({ provider: "evolution" });
  stack.provider.answer = async () => {
    await client.tell("evolution", tenant, statuses.evolution?.("EARLY"));
    return Response.json({ key: { id: "EARLY" }, status: "PENDING" }, { status: 201 });
  };
  const sent = await say(client, tenant, phone);
  const { status, lastError } = await read(client, tenant, sent);
  assertEquals([status, lastError.code], ["failed", "new_chat_locked"]);
  const { allowance } = (await stack.messages(tenant, "GET", "/health")).body;
  assertEquals(allowance.timeLock.isActive, true);
});
