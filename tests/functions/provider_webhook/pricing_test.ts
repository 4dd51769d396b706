/** How the official channel bills a message, as its delivery events tell; and who of a group has got it. */

import { providerKinds } from "../../../shared/model/provider_kind.ts";
import { assertEquals } from "../../support/assert.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { readFeed } from "./channels.ts";
import { cloudPayload, createWebhookClient, phone, type WebhookClient } from "./webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const text = { phone, messageType: "text", message: "oi" };
const pricing = { billable: true, pricing_model: "PMP", type: "regular", category: "utility" };
const told = {
  ...{ type: "regular", category: "utility", model: "PMP", market: null, source: "channel" },
};
const derived = {
  ...{ type: null, category: "service", model: null, market: null, source: "derived" },
};

function report(
  client: WebhookClient,
  tenant: Tenant,
  id: string,
  status: string,
  members: object = {},
): Promise<Body> {
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  const item = { id, status, timestamp, recipient_id: phone, ...members };
  return client.cloud(tenant, cloudPayload({ statuses: [item] }));
}

async function readPricing(client: WebhookClient, tenant: Tenant, id: string): Promise<Body> {
  return (await client.stack.messages(tenant, "GET", `/messages/${id}`)).body.pricing;
}

/** The message as its record, the list, the raw history and the export show it. */
async function readEverywhere(
  client: WebhookClient,
  tenant: Tenant,
  messageId: string,
): Promise<Body[]> {
  const isSame = (item: Body): boolean => item.messageId === messageId;
  const record = await client.stack.messages(tenant, "GET", `/messages/${messageId}`);
  const { contactId } = record.body;
  const list = await client.stack.messages(tenant, "GET", "/messages?limit=100");
  const raw = await client.history(tenant, { format: "raw", contactId });
  const exported = await client.stack.request(
    `/contacts-api/contacts/${contactId}/export?instanceId=${tenant.instanceId}`,
    { headers: { "x-client-token": tenant.token } },
  );
  return [
    ...[record.body, list.body.items.find(isSame), raw.body.messages.find(isSame)],
    exported.body.messages.find(isSame),
  ];
}

Deno.test("what a status says of the price is told in event, record, list, raw row and export", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const { messageId, providerMessageId } = (await client.stack.send(tenant, text)).body;
  const conversation = { id: "c1", origin: { type: "utility" } };
  await report(client, tenant, providerMessageId, "delivered", { pricing, conversation });
  const expected = { ...told, conversationOrigin: "utility" };
  for (const shown of await readEverywhere(client, tenant, messageId)) {
    assertEquals(shown.pricing, expected);
  }
  const events = (await readFeed(client, tenant)).filter(({ data }) =>
    data.messageId === messageId
  );
  assertEquals(
    events.map(({ type, data }) => [type, data.pricing]),
    [["message.sent", null], ["message.delivered", expected]],
  );
});

Deno.test("a message without a told price is billed as service, until the channel tells, in any order of statuses", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const lives: readonly (readonly [readonly (readonly [string, object?])[], object | null])[] = [
    [[["sent"]], null],
    [[["delivered"]], derived],
    [[["read"]], derived],
    [[["sent", { pricing }]], told],
    [[["delivered"], ["delivered", { pricing }]], told],
    [[["delivered"], ["sent", { pricing }], ["read"]], told],
    [[["sent", { pricing }], ["read", { pricing: { ...pricing, category: "service" } }]], told],
    [[["delivered", { pricing: { category: "new_word" } }]], {
      ...told,
      ...{ type: null, category: "new_word", model: null },
    }],
    [[["delivered", { pricing: { billable: true } }]], derived],
  ];
  for (const [statuses, expected] of lives) {
    const { messageId, providerMessageId } = (await client.stack.send(tenant, text)).body;
    for (const [status, members] of statuses) {
      await report(client, tenant, providerMessageId, status, members);
    }
    assertEquals(await readPricing(client, tenant, messageId), expected, JSON.stringify(statuses));
  }
});

Deno.test("a price that is told before the send was recorded, or beside other events, is kept", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  client.stack.provider.answer = async () => {
    await report(client, tenant, "wamid.early", "delivered", { pricing });
    return Response.json({ messages: [{ id: "wamid.early" }], contacts: [{ wa_id: phone }] });
  };
  const early = (await client.stack.send(tenant, text)).body;
  assertEquals(await readPricing(client, tenant, early.messageId), told);
  client.stack.provider.answer = () =>
    Promise.resolve(
      Response.json({ messages: [{ id: "wamid.late" }], contacts: [{ wa_id: phone }] }),
    );
  const { messageId } = (await client.stack.send(tenant, text)).body;
  const status = { status: "delivered", timestamp: "1790000000", recipient_id: phone };
  await client.cloud(
    tenant,
    cloudPayload({
      statuses: [
        { ...status, id: "wamid.late" },
        { ...status, id: "wamid.late", pricing },
        { ...status, id: "wamid.of-nobody", pricing },
      ],
    }),
  );
  assertEquals(await readPricing(client, tenant, messageId), told);
});

Deno.test("gateways bill no message", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "zapi" });
  const { messageId, providerMessageId } = (await client.stack.send(tenant, text)).body;
  const ids = [providerMessageId];
  await client.zapi(tenant, { type: "MessageStatusCallback", status: "READ", ids, pricing });
  const { body } = await client.stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals([body.status, body.pricing], ["read", null]);
});

for (const provider of providerKinds) {
  Deno.test(`${provider}: a group's message says who has got it and who has read it`, async () => {
    await using client = await createWebhookClient();
    const tenant = await client.createTenant({ provider });
    const { messageId, providerMessageId } = (await client.stack.send(tenant, text)).body;
    const groupStatus = (member: string, hasRead: boolean): Promise<Body> =>
      client.tell(
        provider,
        tenant,
        factsOf[provider].toGroupStatus(providerMessageId, member, hasRead),
      );
    await groupStatus("5511900000001", false);
    await groupStatus("5511900000002", true);
    await groupStatus("5511900000001", true);
    await groupStatus("5511900000001", false);
    for (const shown of await readEverywhere(client, tenant, messageId)) {
      assertEquals(shown.status, "delivered");
      assertEquals(
        shown.groupReceipts.map(({ phone, deliveredAt, readAt }: Body) => [
          phone,
          deliveredAt !== null && deliveredAt <= readAt,
        ]),
        [["5511900000001", true], ["5511900000002", true]],
      );
    }
  });
}

Deno.test("a message keeps at most 32 members of a group, each once", async () => {
  await using client = await createWebhookClient();
  const [row] = await client.stack.admin`
    with recursive told(place, receipts) as (
      select 0, null::jsonb
      union all
      select t.place + 1, messaging.add_group_receipt(
        t.receipts,
        jsonb_build_object(
          'phone', (t.place % 40)::text, 'lid', (t.place % 40) || '@lid', 'hasRead', true
        ),
        '2026-11-23T10:00:00Z'
      )
      from told t where t.place < 100
    )
    select jsonb_array_length(receipts) as size,
      (select count(distinct r->>'phone')::integer from jsonb_array_elements(receipts) r) as members
    from told where place = 100`;
  assertEquals(row, { size: 32, members: 32 });
});
