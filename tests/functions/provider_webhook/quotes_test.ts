import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  evolutionMessage,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

interface Channel {
  readonly provider: "zapi" | "evolution" | "whatsapp_cloud";
  /** The contact sends a text that answers the message with this id of the provider, if any. */
  receive(client: WebhookClient, tenant: Tenant, id: string, quoted?: string): Promise<unknown>;
}

const channels: readonly Channel[] = [
  {
    provider: "zapi",
    receive: (client, tenant, messageId, referenceMessageId) =>
      client.receive(tenant, { messageId, referenceMessageId, text: { message: "oi" } }),
  },
  {
    provider: "evolution",
    receive: (client, tenant, id, stanzaId) =>
      client.evolution(
        tenant,
        evolutionMessage({ conversation: "oi" }, { id }, { contextInfo: { stanzaId } }),
      ),
  },
  {
    provider: "whatsapp_cloud",
    receive: (client, tenant, id, quoted) => {
      const context = { from: "15550783881", id: quoted };
      const messages = [cloudText(id, "oi", quoted === undefined ? {} : { context })];
      const contacts = [{ profile: { name: "Ana" }, wa_id: phone }];
      return client.cloud(tenant, cloudPayload({ contacts, messages }));
    },
  },
];

for (const { provider, receive } of channels) {
  Deno.test(`${provider}: message.received tells our id of the message that the contact answers`, async () => {
    await using client = await createWebhookClient();
    const tenant = await client.createTenant({ provider });
    await receive(client, tenant, "IN1");
    const sent = await client.stack.send(tenant, {
      ...{ phone, messageType: "text", message: "Quer?" },
    });
    const [first, ours] = await client.messages(tenant);
    await receive(client, tenant, "IN2", `${ours?.["provider_message_id"]}`);
    await receive(client, tenant, "IN3", "IN1");
    await receive(client, tenant, "IN4", "never seen");
    const { body } = await client.stack.request(
      "/events-api/events?after=oldest&types=message.received",
      { headers: { "X-Client-Token": tenant.token } },
    );
    assertEquals(
      body.items.map(({ data }: { data: Record<string, unknown> }) => data["quotedMessageId"]),
      [null, sent.body.messageId, first?.["id"], null],
    );
  });
}

Deno.test("a message of another instance is never the one that is answered", async () => {
  await using client = await createWebhookClient();
  const [one, other] = [await client.createTenant(), await client.createTenant()];
  await client.receive(one, { messageId: "IN1", text: { message: "oi" } });
  const answer = { messageId: "IN2", referenceMessageId: "IN1", text: { message: "oi" } };
  await client.receive(other, answer);
  const [stored] = await client.messages(other);
  assertEquals(stored?.["quoted_message_id"], null);
});
