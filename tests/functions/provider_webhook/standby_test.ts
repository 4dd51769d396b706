/** What comes in `standby` alone: another responder of the number holds the conversation. */
import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { readFeed } from "./channels.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  type Delivered,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

type Json = Readonly<Record<string, unknown>>;

function tell(client: WebhookClient, tenant: Tenant, standby: Json): Promise<Delivered> {
  const payload = JSON.parse(JSON.stringify(cloudPayload({ standby })));
  payload.entry[0].changes[0].field = "standby";
  return client.cloud(tenant, payload);
}

async function openShop(
  client: WebhookClient,
): Promise<
  { tenant: Tenant; countRequests: () => Promise<number>; isPaused: () => Promise<boolean> }
> {
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.stack.admin`insert into messaging.ai_agents (instance_id, name, instructions, model)
    values (${tenant.instanceId}, 'A', 'B', 'c')`;
  return {
    tenant,
    countRequests: async () =>
      (await client.stack.admin`select from messaging.outbox where kind = 'agent_reply'`).length,
    isPaused: async () =>
      (await client.stack.admin`select from messaging.agent_pauses
        where instance_id = ${tenant.instanceId} and paused_until > now()`).length > 0,
  };
}

const contacts = [{ profile: { name: "Ana" }, wa_id: phone }];

Deno.test("a message in standby is recorded and told, and no agent answers it", async () => {
  await using client = await createWebhookClient();
  const { tenant, countRequests } = await openShop(client);
  const first = await tell(client, tenant, { contacts, messages: [cloudText("W1", "oi")] });
  assertEquals(first.body, { success: true, recorded: 1 });
  const several = [cloudText("W2", "tudo bem?"), cloudText("W3", "alguém?")];
  assertEquals((await tell(client, tenant, { contacts, messages: several })).body.recorded, 2);
  assertEquals((await tell(client, tenant, {})).body.recorded, 0);
  const stored = await client.messages(tenant);
  assertEquals(stored.map(({ message, name }) => [message, name]), [
    ["oi", "Ana"],
    ["tudo bem?", "Ana"],
    ["alguém?", "Ana"],
  ]);
  assertEquals(await countRequests(), 0);
  await client.cloud(tenant, cloudPayload({ contacts, messages: [cloudText("W4", "e agora?")] }));
  assertEquals(await countRequests(), 1);
});

Deno.test("a keyword in standby decides", async () => {
  await using client = await createWebhookClient();
  const { tenant } = await openShop(client);
  await tell(client, tenant, { contacts, messages: [cloudText("W1", "STOP")] });
  const [contact] = await client.stack.admin`
    select consent_marketing from messaging.contacts where instance_id = ${tenant.instanceId}`;
  assertEquals(contact?.["consent_marketing"], "denied");
  // The other responder has the word: no confirmation of ours goes into its conversation.
  const written = await client.messages(tenant);
  assertEquals(written.map(({ direction }) => direction), ["inbound"]);
  await client.cloud(tenant, cloudPayload({ contacts, messages: [cloudText("W2", "START")] }));
  await client.cloud(tenant, cloudPayload({ contacts, messages: [cloudText("W3", "STOP")] }));
  const later = await client.messages(tenant);
  assertEquals(later.filter(({ direction }) => direction === "outbound").length, 1);
});

Deno.test("what the other responder sends is in the history, pauses nobody, and has its statuses", async () => {
  await using client = await createWebhookClient();
  const { tenant, isPaused } = await openShop(client);
  const timestamp = String(Math.floor(Date.now() / 1_000) - 60);
  const request = { messaging_product: "whatsapp", to: `+${phone}`, type: "text" };
  const echo = { id: "W9", timestamp, message: { ...request, text: { body: "Posso ajudar?" } } };
  assertEquals((await tell(client, tenant, { message_echoes: [echo] })).body.recorded, 1);
  assertEquals((await tell(client, tenant, { message_echoes: [echo] })).body.recorded, 0);
  const status = { id: "W9", status: "delivered", timestamp, recipient_id: phone };
  assertEquals((await tell(client, tenant, { statuses: [status] })).body.recorded, 1);
  const [message] = await client.messages(tenant);
  assertEquals(
    [message?.direction, message?.message, message?.["sent_by"], message?.status, message?.phone],
    ["outbound", "Posso ajudar?", "other_app", "delivered", phone],
  );
  assertEquals(await isPaused(), false);
  const feed = (await readFeed(client, tenant)).map(({ type }) => type);
  assertEquals(feed.filter((type) => type.startsWith("message.")), [
    "message.sent",
    "message.delivered",
  ]);
});
