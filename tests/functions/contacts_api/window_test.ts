/** The window of a contact: until when free-form messages may be sent, and until when nothing is billed. */

import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { callBatches } from "../../support/fixtures/batch_calls.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  phone,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const hourMs = 3_600_000;
const referral = { headline: "Promo", source_type: "ad", source_id: "7" };
const closed = { isOpen: false, closesAt: null, freeUntil: null };
const alwaysOpen = { isOpen: true, closesAt: null, freeUntil: null };

/** What the one contact of an instance shows; the same in a list and by its id. */
async function readWindow(client: WebhookClient, tenant: Tenant): Promise<Body> {
  const headers = { "x-client-token": tenant.token };
  const read = (path: string): Promise<Body> =>
    client.stack.request(`/contacts-api/contacts${path}`, { headers });
  const { body: { items } } = await read(`?instanceId=${tenant.instanceId}`);
  assertEquals(items.length, 1);
  const { body } = await read(`/${items[0].contactId}`);
  assertEquals(body.window, items[0].window);
  return body.window;
}

const arrive = (client: WebhookClient, tenant: Tenant, id: string, members = {}) =>
  client.cloud(tenant, cloudPayload({ messages: [cloudText(id, "oi", members)] }));

/** Sends a text and returns when it left, in milliseconds. */
async function answer({ stack }: WebhookClient, { instanceId, token }: Tenant): Promise<number> {
  const { status, body } = await stack.request("/send-message", {
    method: "POST",
    headers: { "x-client-token": token, "content-type": "application/json" },
    body: JSON.stringify({ instanceId, phone, messageType: "text", message: "Olá" }),
  });
  assertEquals([status, body.status], [200, "sent"]);
  const { body: message } = await stack.request(`/messages-api/messages/${body.messageId}`, {
    headers: { "x-client-token": token },
  });
  return Date.parse(message.sentAt);
}

Deno.test("a contact's window is 24 hours from its last message that is no reaction", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.stack.admin`
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (${tenant.instanceId}, ${phone}, ${phone}, 'api')`;
  assertEquals(await readWindow(client, tenant), closed);

  const writtenAt = Math.floor(Date.now() / 1_000) - 23 * 3_600;
  await arrive(client, tenant, "M1", { timestamp: `${writtenAt}` });
  const closesAt = new Date((writtenAt + 24 * 3_600) * 1_000).toISOString();
  assertEquals(await readWindow(client, tenant), { isOpen: true, closesAt, freeUntil: null });

  await letTimePass(client.stack.admin, 2 * 3_600);
  const reaction = { type: "reaction", reaction: { message_id: "M1", emoji: "👍" } };
  await client.cloud(
    tenant,
    cloudPayload({ messages: [{ ...cloudText("M2", ""), ...reaction, text: undefined }] }),
  );
  assertEquals((await readWindow(client, tenant)).isOpen, false);
});

Deno.test("a gateway's contacts always have an open window", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const externalAdReply = { title: "Promo", sourceType: "ad", sourceId: "7" };
  await client.receive(tenant, { messageId: "M1", text: { message: "oi" }, externalAdReply });
  assertEquals(await readWindow(client, tenant), alwaysOpen);
  await letTimePass(client.stack.admin, 25 * 3_600);
  assertEquals(await readWindow(client, tenant), alwaysOpen);
});

Deno.test("a free entry point lasts 72 hours from the first answer to an ad, and opens no window", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const { admin } = client.stack;
  const readFreeUntil = async (): Promise<number | null> => {
    const { freeUntil } = await readWindow(client, tenant);
    return freeUntil === null ? null : Date.parse(freeUntil);
  };
  await arrive(client, tenant, "M1");
  await answer(client, tenant);
  assertEquals(await readFreeUntil(), null, "no ad");

  await arrive(client, tenant, "M2", { referral });
  assertEquals(await readFreeUntil(), null, "no answer");
  await letTimePass(admin, 2 * 3_600);
  let freeUntil = await answer(client, tenant) + 72 * hourMs;
  assertEquals(await readFreeUntil(), freeUntil, "the first answer");
  await answer(client, tenant);
  assertEquals(await readFreeUntil(), freeUntil, "a later answer");

  await letTimePass(admin, 40 * 3_600);
  freeUntil -= 40 * hourMs;
  const { isOpen, ...late } = await readWindow(client, tenant);
  assertEquals([isOpen, Date.parse(late.freeUntil)], [false, freeUntil]);
  await arrive(client, tenant, "M3", { referral });
  assertEquals(await readFreeUntil(), freeUntil, "another ad without an answer");
  await letTimePass(admin, 23 * 3_600);
  assertEquals(await readFreeUntil(), freeUntil - 23 * hourMs);
  freeUntil = await answer(client, tenant) + 72 * hourMs;
  assertEquals(await readFreeUntil(), freeUntil, "the answer to another ad");
  await letTimePass(admin, 73 * 3_600);
  assertEquals(await readFreeUntil(), null, "it has ended");
});

Deno.test("an answer after 24 hours, one that failed and a reaction give no free entry point", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const { admin } = client.stack;
  await arrive(client, tenant, "M1", { referral });
  await answer(client, tenant);
  await admin`
    update messaging.messages set status = 'failed', failed_at = now()
    where direction = 'outbound'`;
  assertEquals((await readWindow(client, tenant)).freeUntil, null);
  await letTimePass(admin, 25 * 3_600);
  await arrive(client, tenant, "M2");
  await answer(client, tenant);
  assertEquals((await readWindow(client, tenant)).freeUntil, null);
});

Deno.test("a dry run counts whose window is open at the slot, and whom the channel bills nothing for", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const { stack } = client;
  await arrive(client, tenant, "M1", { referral });
  await answer(client, tenant);
  const neighbour = "5511977776667";
  await stack.admin`
    insert into messaging.contacts (instance_id, phone, identity_key, origin, last_inbound_at)
    values (${tenant.instanceId}, ${neighbour}, ${neighbour}, 'api', now() - interval '1 hour')`;
  const summarize = async (of: Tenant, startAt?: string): Promise<unknown> => {
    const { status, body } = await callBatches(stack, of, "POST", "/batches", {
      message: { messageType: "text", message: "Oi" },
      recipients: [phone, neighbour, "5511977776668"].map((phone) => ({ phone })),
      dryRun: true,
      ...(startAt === undefined ? {} : { startAt }),
    });
    assertEquals(status, 200, JSON.stringify(body));
    const { send, windowOpen, freeEntryPoint } = body.summary;
    return { send, windowOpen, freeEntryPoint };
  };
  assertEquals(await summarize(tenant), { send: 3, windowOpen: 2, freeEntryPoint: 1 });
  // The neighbour's window closes in 23 hours.
  const startAt = new Date(Date.now() + 23.5 * hourMs).toISOString();
  assertEquals(await summarize(tenant, startAt), { send: 2, windowOpen: 1, freeEntryPoint: 1 });
  const gateway = await client.createTenant();
  assertEquals(await summarize(gateway), { send: 3, windowOpen: 3, freeEntryPoint: 0 });
});
