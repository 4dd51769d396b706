/** What arrives keeps its facts: the same members in the record, its event, lists, raw rows and exports. */

import { shownSentParts } from "../../../shared/model/content_parts.ts";
import { providerKinds } from "../../../shared/model/provider_kind.ts";
import { receivedPartNames } from "../../../shared/model/received_parts.ts";
import { assertEquals } from "../../support/assert.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { readFeed } from "./channels.ts";
import { cloudPayload, cloudText, createWebhookClient } from "./webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

function pickParts(record: Body): Body {
  const given = receivedPartNames.filter((name) => record[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, record[name]]));
}

for (const provider of providerKinds) {
  Deno.test(`${provider}: each documented kind is told the same in event, record, list, raw row and export`, async () => {
    await using client = await createWebhookClient();
    const tenant = await client.createTenant({ provider });
    const { documented: examples, toMessage } = factsOf[provider];
    for (const [place, example] of examples.entries()) {
      const payload = toMessage(`M${place}`, example.members);
      const { body } = await client.tell(provider, tenant, payload);
      assertEquals(body.recorded, 1, example.name);
    }
    const events = await readFeed(client, tenant);
    assertEquals(events.map(({ data }) => data.messageType), examples.map((it) => it.messageType));
    const list = await client.stack.messages(tenant, "GET", "/messages?limit=100");
    const contactId = events[0]?.data.contactId;
    const raw = await client.history(tenant, { format: "raw", contactId });
    const exported = await client.stack.request(
      `/contacts-api/contacts/${contactId}/export?instanceId=${tenant.instanceId}`,
      { headers: { "x-client-token": tenant.token } },
    );
    for (const [place, { data }] of events.entries()) {
      const told = { choice: null, ...examples[place]?.told };
      const isSame = ({ messageId }: Body): boolean => messageId === data.messageId;
      const record = await client.stack.messages(tenant, "GET", `/messages/${data.messageId}`);
      for (
        const shown of [
          ...[data, record.body, list.body.items.find(isSame), raw.body.messages.find(isSame)],
          exported.body.messages.find(isSame),
        ]
      ) {
        assertEquals(pickParts(shown), told, examples[place]?.name);
      }
    }
  });
}

Deno.test("the database shows every part of the table, and nothing else of a content", async () => {
  await using client = await createWebhookClient();
  const parts = Object.fromEntries(
    [...receivedPartNames, ...Object.keys(shownSentParts)].map((name) => [name, name]),
  );
  const content = { mediaUrl: "x", mediaId: "x", mediaFilename: "x", template: {}, choices: [] };
  const [row] = await client.stack.admin`
    select messaging.shown_parts(${
    JSON.stringify({ ...content, ...parts })
  }::text::jsonb) as parts`;
  assertEquals(row?.["parts"], parts);
});

Deno.test("a malformed part is left out, and its words stay", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const location = { latitude: 900, longitude: "x", name: "Loja", address: 7 };
  await client.receive(tenant, { messageId: "M1", location });
  await client.receive(tenant, { messageId: "M2", order: { products: "none", total: "x" } });
  const [place, order] = await readFeed(client, tenant);
  assertEquals(
    [place?.data.messageType, place?.data.message, place?.data.location],
    ["other", "[location] Loja", undefined],
  );
  assertEquals(
    [order?.data.messageType, order?.data.message, order?.data.order],
    ["order", "[order]", { items: [] }],
  );
});

Deno.test("an event of many long cards stays below 20,000 bytes and says so; the record has them all", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const contacts = Array.from({ length: 20 }, (_, place) => ({
    name: { formatted_name: `${place} ${"n".repeat(190)}` },
    urls: Array.from({ length: 10 }, () => ({ url: `https://a.example/${"u".repeat(150)}` })),
  }));
  await client.cloud(
    tenant,
    cloudPayload({ messages: [cloudText("M1", "", { type: "contacts", contacts })] }),
  );
  const [told] = await readFeed(client, tenant);
  assertEquals(told?.data.isTruncated, true);
  assertEquals(new TextEncoder().encode(JSON.stringify(told)).length < 20_000, true);
  assertEquals(told?.data.contacts.length > 0, true);
  const { body } = await client.stack.messages(tenant, "GET", `/messages/${told?.data.messageId}`);
  assertEquals(body.contacts.length, 20);
});
