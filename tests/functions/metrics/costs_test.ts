import { assert, assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { cloudPayload, createWebhookClient } from "../provider_webhook/webhook_client.ts";
import { scrape } from "./metrics_client.ts";

Deno.test("what deliveries cost is counted once by currency and category, and messages by how they are billed", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const gateway = await client.createTenant();
  await stack.admin`update messaging.instances set free_service_messages_per_month = 1`;
  const rate = (category: string, amount: string) => ({
    ...{ market: "Brazil", category, amount, effectiveFrom: "2026-01-01" },
  });
  await callFunction(stack.admin, "replace_rates", {
    ...{ workspaceId: tenant.workspaceId, currency: "USD", dryRun: false },
    markets: [{ name: "Brazil", callingCodes: ["55"] }],
    rates: [rate("service", "0.0125"), rate("utility", "0.02")],
  });
  const send = async (to: Tenant, phone: string): Promise<string> =>
    (await stack.send(to, { phone, messageType: "text", message: "oi" })).body.providerMessageId;
  let told = 0;
  const report = async (id: string, category: string, status = "delivered"): Promise<void> => {
    const pricing = { category, type: "regular", pricing_model: "PMP" };
    // The first delivery is the month's free one.
    const timestamp = `${Date.UTC(2026, 9, 10) / 1_000 + ++told}`;
    const item = { id, status, timestamp, recipient_id: "55", pricing };
    await client.cloud(tenant, cloudPayload({ statuses: [item] }));
  };
  const read = async (): Promise<(category: string) => (number | undefined)[]> => {
    await callFunction(stack.admin, "fold_usage", { maxChanges: 1_000 });
    const { value } = await scrape(stack);
    return (category) => [
      value("messaging_estimated_cost_total", { currency: "USD", category }),
      ...["charged", "free", "unknown"].map((billing) =>
        value("messaging_delivered_messages_total", { category, billing })
      ),
    ];
  };
  assertEquals((await read())("service"), [0, 0, 0, 0]);

  const phone = "5511977776666";
  for (let place = 0; place < 3; place++) await report(await send(tenant, phone), "service");
  await report(await send(tenant, "4915112345678"), "service");
  await report(await send(tenant, phone), "utility");
  await report(await send(tenant, phone), "Something_New");
  const sent = await send(gateway, phone);
  const status = { type: "MessageStatusCallback", status: "RECEIVED", ids: [sent] };
  await client.zapi(gateway, { ...status, momment: Date.now() });
  for (let time = 0; time < 2; time++) {
    const of = await read();
    assertEquals([of("service"), of("utility"), of("marketing"), of("other")], [
      ...[[0.025, 2, 1, 1], [0.02, 1, 0, 0], [0, 0, 0, 0]],
      [undefined, undefined, undefined, 1],
    ]);
  }
  const { text } = await scrape(stack);
  assert(!text.includes("omething_"), "the channel's words are no labels");
});

Deno.test("a correction downwards lowers no counter, and is made up for by what comes after", async () => {
  await using client = await createWebhookClient();
  const { admin } = client.stack;
  const { instanceId } = await client.createTenant({ provider: "whatsapp_cloud" });
  const count = async (delivered: number, amount: string): Promise<number | undefined> => {
    await admin`
      insert into messaging.usage_changes (
        instance_id, counted_at, delivered, amount, currency, category
      ) values (${instanceId}, now(), ${delivered}, ${amount}, 'USD', 'utility')`;
    await callFunction(admin, "fold_usage", { maxChanges: 10 });
    const { value } = await scrape(client.stack);
    return value("messaging_estimated_cost_total", { currency: "USD", category: "utility" });
  };
  assertEquals(await count(1, "0.3"), 0.3);
  assertEquals(await count(-1, "-0.2"), 0.3);
  assertEquals(await count(1, "0.1"), 0.3);
  assertEquals(await count(1, "0.2"), 0.4);
});
