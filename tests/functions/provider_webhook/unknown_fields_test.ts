/** What no reader knows is counted by name, within a bound, and its payload is kept. */

import { assert, assertEquals } from "../../support/assert.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { createWebhookClient, evolutionMessage, type WebhookClient } from "./webhook_client.ts";

async function readCounts(client: WebhookClient): Promise<readonly unknown[]> {
  return await client.stack.admin`
    select labels->>'field' as field, reported::int as count from messaging.metric_counters
    where name = 'messaging_unknown_webhook_fields_total' order by 1`;
}

Deno.test("an unknown event is counted by its name and kept; an ignored one is only kept", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  await client.evolution(tenant, { event: "brand.new", data: {} });
  await client.evolution(tenant, { event: "BRAND_NEW", data: {} });
  await client.evolution(tenant, { event: "call.5511987654321", data: {} });
  await client.evolution(tenant, { event: "presence.update", data: {} });
  await client.evolution(tenant, evolutionMessage({ conversation: "oi" }));
  assertEquals([...await readCounts(client)], [
    { field: "brand.new", count: 2 },
    { field: "other", count: 1 },
  ]);
  const [kept] = await client.stack.admin`
    select count(*)::int as count from messaging.provider_events`;
  assertEquals(kept?.["count"], 5);
});

Deno.test("a notification of Z-API is known by its own name, and a new one is counted", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  for (const notification of ["E2E_ENCRYPTED", "CALL_MISSED_VOICE", "BRAND_NEW", "BRAND_NEW"]) {
    await client.receive(tenant, { messageId: notification, notification });
  }
  assertEquals([...await readCounts(client)], [{ field: "notification.BRAND_NEW", count: 2 }]);
});

Deno.test("of a provider a hundred names are counted by themselves, the others together", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  for (let place = 0; place < 103; place++) {
    await client.zapi(tenant, { type: `New${String(place).padStart(3, "0")}` });
  }
  const counts = await readCounts(client);
  assertEquals(counts.length, 101);
  assertEquals(counts.at(-1), { field: "other", count: 3 });
});

Deno.test("what is ignored is ignored for a reason, and nothing is both ignored and read", () => {
  for (const { kind, webhook: { knownFields: { read, ignored } } } of registry.providers) {
    assert(Object.values(ignored).every((reason) => reason.length > 10), kind);
    assertEquals(read.filter((name) => Object.hasOwn(ignored, name)), []);
  }
});
