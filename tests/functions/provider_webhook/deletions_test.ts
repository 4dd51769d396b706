import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  type Delivered,
  evolutionMessage,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

Deno.test("a message that a person deletes for everyone is told once, on every channel, and stays in the history", async () => {
  await using client = await createWebhookClient();
  for (const { tenant, typed, arrive, remove } of await createChannels(client)) {
    await arrive("THEIRS", "às 10h");
    await typed("OURS", "às 11h");
    for (const id of ["THEIRS", "OURS"]) {
      assertEquals((await remove(id)).body.recorded, 1);
      assertEquals((await remove(id)).body.recorded, 0);
    }
    const [received, sent, ...deletions] = await readFeed(client, tenant);
    assertEquals([received?.type, sent?.type], ["message.received", "message.sent"]);
    assertEquals(
      deletions.map(({ type, data }) => [type, data.providerMessageId, data.status, data.message]),
      [
        ["message.deleted", "THEIRS", "received", "às 10h"],
        ["message.deleted", "OURS", "sent", "às 11h"],
      ],
    );
    for (const { data } of deletions) assertEquals(data.contact.phone, phone);
    const { body } = await client.history(tenant);
    assertEquals(
      body.conversation.map(({ content }: { content: string }) => content),
      ["às 10h", "às 11h"],
    );
    // Also when the events are gone, it was told.
    await client.stack.admin`delete from messaging.events`;
    assertEquals((await remove("THEIRS")).body.recorded, 0);
    assertEquals(await readFeed(client, tenant), []);
  }
});

Deno.test("a deletion of a message that is not known is kept and changes nothing, also when the message comes later", async () => {
  await using client = await createWebhookClient();
  for (const { tenant, arrive, remove } of await createChannels(client)) {
    const { status, body } = await remove("LATER");
    assertEquals([status, body.recorded], [200, 0]);
    const kept = await client.stack.admin`
      select from messaging.provider_events
      where instance_id = ${tenant.instanceId} and payload like '%LATER%'`;
    assertEquals(kept.length, 1);
    await arrive("LATER", "oi");
    assertEquals((await readFeed(client, tenant)).map(({ type }) => type), ["message.received"]);
  }
});

interface Channel {
  readonly tenant: Tenant;
  /** The contact writes. */
  arrive(id: string, text: string): Promise<Delivered>;
  /** Somebody writes on the business's own phone. */
  typed(id: string, text: string): Promise<Delivered>;
  /** The channel tells that the message was deleted for everyone. */
  remove(id: string): Promise<Delivered>;
}

async function createChannels(client: WebhookClient): Promise<readonly Channel[]> {
  const zapi = await client.createTenant();
  const evolution = await client.createTenant({ provider: "evolution" });
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const write = (id: string, text: string, fromMe: boolean): Promise<Delivered> =>
    client.evolution(evolution, evolutionMessage({ conversation: text }, { id, fromMe }));
  return [
    {
      tenant: zapi,
      arrive: (messageId, message) => client.receive(zapi, { messageId, text: { message } }),
      typed: (messageId, message) =>
        client.receive(zapi, { messageId, text: { message }, fromMe: true, fromApi: false }),
      remove: (messageId) => client.receive(zapi, { messageId, notification: "REVOKE" }),
    },
    {
      tenant: evolution,
      arrive: (id, text) => write(id, text, false),
      typed: (id, text) => write(id, text, true),
      remove: (id) => {
        const data = { remoteJid: `${phone}@s.whatsapp.net`, fromMe: false, id, status: "DELETED" };
        return client.evolution(evolution, { event: "messages.delete", data });
      },
    },
    {
      tenant: official,
      arrive: (id, text) =>
        client.cloud(official, cloudPayload({ messages: [cloudText(id, text)] })),
      typed: (id, text) => {
        const value = { message_echoes: [{ ...cloudText(id, text), to: phone }] };
        const changes = [{ field: "smb_message_echoes", value }];
        const entry = [{ id: "102290129340398", changes }];
        return client.cloud(official, { object: "whatsapp_business_account", entry });
      },
      remove: (id) => {
        const revoke = { type: "revoke", revoke: { original_message_id: id } };
        const notice = { ...cloudText(`NOTICE-${id}`, ""), ...revoke };
        return client.cloud(official, cloudPayload({ messages: [notice] }));
      },
    },
  ];
}

interface FeedEvent {
  readonly type: string;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  readonly data: any;
}

/** The events of messages, oldest first. */
async function readFeed(client: WebhookClient, tenant: Tenant): Promise<readonly FeedEvent[]> {
  const { body } = await client.stack.request("/events-api/events?after=oldest", {
    headers: { "x-client-token": tenant.token },
  });
  return body.items.filter(({ type }: FeedEvent) => type.startsWith("message."));
}
