/** What a delivered message costs, by the rates of its workspace. */

import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { readFeed } from "./channels.ts";
import { cloudPayload, createWebhookClient, phone, type WebhookClient } from "./webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const rate = (market: string, category: string, amount: string, effectiveFrom = "2026-01-01") => ({
  ...{ market, category, amount, effectiveFrom },
});
const markets = [
  { name: "Brazil", callingCodes: ["55"] },
  { name: "São Paulo", callingCodes: ["5511", "5512"] },
  { name: "Santos", callingCodes: ["5513999"] },
  { name: "Other", callingCodes: [] },
];
const rates = [
  rate("Brazil", "service", "0.0080"),
  rate("Brazil", "service", "0.0125", "2026-10-01"),
  rate("Brazil", "utility", "0.02"),
  rate("São Paulo", "service", "0.3"),
  rate("Santos", "service", "0.7"),
  rate("Other", "service", "9"),
];

interface Shop {
  readonly client: WebhookClient;
  readonly tenant: Tenant;
  replaceRates(changes?: object): Promise<unknown>;
  /** Sends to the phone, and lets the channel tell statuses. */
  deliver(to: string, ...statuses: readonly (readonly [string, object?])[]): Promise<Body>;
}

async function setFreeMessages(
  { stack }: WebhookClient,
  { instanceId }: Tenant,
  count: number,
): Promise<void> {
  await stack.admin`
    update messaging.instances set free_service_messages_per_month = ${count} where id = ${instanceId}`;
}

async function openShop(client: WebhookClient): Promise<Shop> {
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const { workspaceId } = tenant;
  await setFreeMessages(client, tenant, 0);
  return {
    client,
    tenant,
    replaceRates: (changes = {}) =>
      callFunction(client.stack.admin, "replace_rates", {
        ...{ workspaceId, currency: "USD", markets, rates, dryRun: false, ...changes },
      }),
    deliver: async (to, ...statuses) => {
      const content = { phone: to, messageType: "text", message: "oi" };
      const { messageId, providerMessageId: id } = (await client.stack.send(tenant, content)).body;
      for (const [status, members] of statuses) {
        const timestamp = `${Math.floor(Date.now() / 1_000)}`;
        const item = { id, status, timestamp, recipient_id: to, ...members };
        await client.cloud(tenant, cloudPayload({ statuses: [item] }));
      }
      return (await client.stack.messages(tenant, "GET", `/messages/${messageId}`)).body;
    },
  };
}

const told = (category: string, type = "regular") => ({
  pricing: { billable: true, pricing_model: "PMP", type, category },
});

Deno.test("a delivery costs the rate of its market, category and day; what is free costs nothing", async () => {
  await using client = await createWebhookClient();
  const { tenant, replaceRates, deliver } = await openShop(client);
  await replaceRates();
  const cases: readonly (readonly [string, [string, object?][], string | null, string | null])[] = [
    ["5521977776666", [["sent", told("service")]], null, null],
    ["5521977776666", [["delivered", told("service")]], "Brazil", "0.0125"],
    ["5521977776666", [["read", told("utility")]], "Brazil", "0.02"],
    ["5521977776666", [["delivered"]], "Brazil", "0.0125"],
    ["5521977776666", [["delivered"], ["read", told("utility")]], "Brazil", "0.02"],
    ["5521977776666", [["delivered", told("marketing")]], "Brazil", null],
    ["5511977776666", [["delivered", told("service")]], "São Paulo", "0.3"],
    ["5513999776666", [["delivered", told("service")]], "Santos", "0.7"],
    ["5513998776666", [["delivered", told("service")]], "Brazil", "0.0125"],
    ["4915112345678", [["delivered", told("service")]], "Other", "9"],
    ["4915112345678", [["delivered", told("service", "free_entry_point")]], "Other", "0"],
    ["5521977776666", [["delivered", told("new_kind", "free_customer_service")]], "Brazil", "0"],
    [
      "5521977776666",
      [["delivered", {
        ...told("service"),
        timestamp: `${Date.UTC(2026, 8, 30, 23, 59, 59) / 1_000}`,
      }]],
      "Brazil",
      "0.008",
    ],
    [
      "5521977776666",
      [["delivered", { ...told("service"), timestamp: `${Date.UTC(2026, 9, 1) / 1_000}` }]],
      "Brazil",
      "0.0125",
    ],
  ];
  for (const [to, statuses, market, amount] of cases) {
    const { messageId, pricing, estimatedCost } = await deliver(to, ...statuses);
    assertEquals(
      [pricing.market, estimatedCost],
      [market, amount === null ? null : { amount, currency: "USD" }],
      JSON.stringify([to, statuses]),
    );
    await client.fold();
    const counted = await client.stack.messages(tenant, "GET", `/messages/${messageId}`);
    assertEquals([counted.body.pricing, counted.body.estimatedCost], [pricing, estimatedCost]);
  }
});

Deno.test("an estimate stands in event, list, raw row and export, and no later table changes it", async () => {
  await using client = await createWebhookClient();
  const { tenant, replaceRates, deliver } = await openShop(client);
  const before = await deliver(phone, ["delivered", told("service")]);
  assertEquals([before.pricing.market, before.estimatedCost], [null, null]);
  await replaceRates();
  const { messageId, contactId } = await deliver(phone, ["delivered", told("service")]);
  await replaceRates({ currency: "EUR", rates: [rate("São Paulo", "service", "7")] });
  const isSame = (item: Body): boolean => item.messageId === messageId;
  const record = await client.stack.messages(tenant, "GET", `/messages/${messageId}`);
  const list = await client.stack.messages(tenant, "GET", "/messages?limit=100");
  const raw = await client.history(tenant, { format: "raw", contactId });
  const exported = await client.stack.request(
    `/contacts-api/contacts/${contactId}/export?instanceId=${tenant.instanceId}`,
    { headers: { "x-client-token": tenant.token } },
  );
  const event = (await readFeed(client, tenant)).findLast(({ type }) =>
    type === "message.delivered"
  );
  for (
    const shown of [
      ...[record.body, list.body.items.find(isSame), raw.body.messages.find(isSame)],
      ...[exported.body.messages.find(isSame), event?.data],
    ]
  ) {
    assertEquals([shown.pricing.market, shown.estimatedCost], [
      "São Paulo",
      { amount: "0.3", currency: "USD" },
    ]);
  }
  const later = await deliver(phone, ["delivered", told("service")]);
  assertEquals(later.estimatedCost, { amount: "7", currency: "EUR" });
});

Deno.test("a delivery that is told before the send was recorded is estimated too", async () => {
  await using client = await createWebhookClient();
  const { tenant, replaceRates } = await openShop(client);
  await replaceRates();
  client.stack.provider.answer = async () => {
    const item = {
      id: "wamid.early",
      status: "delivered",
      recipient_id: phone,
      ...told("service"),
    };
    await client.cloud(tenant, cloudPayload({ statuses: [item] }));
    return Response.json({ messages: [{ id: "wamid.early" }], contacts: [{ wa_id: phone }] });
  };
  const { messageId } =
    (await client.stack.send(tenant, { phone, messageType: "text", message: "oi" })).body;
  const { body } = await client.stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals(body.estimatedCost, { amount: "0.3", currency: "USD" });
});

Deno.test("a workspace's rates estimate nothing of another one's", async () => {
  await using client = await createWebhookClient();
  const [own, other] = [await openShop(client), await openShop(client)];
  await own.replaceRates();
  assertEquals((await other.deliver(phone, ["delivered", told("service")])).estimatedCost, null);
});

Deno.test("a month's free service messages cost nothing, each once", async () => {
  await using client = await createWebhookClient();
  const { tenant, replaceRates, deliver } = await openShop(client);
  await replaceRates();
  await setFreeMessages(client, tenant, 3);
  // The month before this one, and the last second of the one before it.
  const now = new Date();
  const at = (day: number, second = 0): object => ({
    timestamp: `${
      Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, day, 0, 0, second) / 1_000
    }`,
  });
  const amountOf = async (...statuses: [string, object?][]): Promise<unknown> =>
    (await deliver(phone, ...statuses)).estimatedCost?.amount;
  const begun = at(1);
  const service = { ...told("service"), ...begun };
  assertEquals(await amountOf(["delivered", { ...told("service"), ...at(1, -1) }]), "0");
  assertEquals(await amountOf(["delivered", { ...told("service", "free_entry_point") }]), "0");
  assertEquals(
    await amountOf(["delivered", service], ["delivered", service], ["read", service]),
    "0",
  );
  assertEquals(
    await amountOf(["delivered", begun], ["read", { ...told("utility") }]),
    undefined,
  );
  const texts: Body[] = [];
  for (let place = 0; place < 3; place++) {
    const content = { phone, messageType: "text", message: "oi" };
    texts.push((await client.stack.send(tenant, content)).body);
  }
  const seconds = [3, 1, 2];
  await client.cloud(
    tenant,
    cloudPayload({
      statuses: texts.map(({ providerMessageId: id }, place) => ({
        ...{ id, status: "delivered", recipient_id: phone, ...told("service") },
        ...at(2, seconds[place]),
      })),
    }),
  );
  const amountsOfTexts = async (): Promise<string[]> => {
    const amounts = [];
    for (const { messageId } of texts) {
      const { body } = await client.stack.messages(tenant, "GET", `/messages/${messageId}`);
      amounts.push(body.estimatedCost.amount);
    }
    return amounts;
  };
  assertEquals(await amountsOfTexts(), ["0.3", "0", "0"]);
  const later = { ...told("service"), ...at(3) };
  assertEquals(await amountOf(["delivered", later]), "0.3");
  await client.fold();
  assertEquals(await amountsOfTexts(), ["0.3", "0", "0"]);
  // Told last, and delivered before: the last of the free ones is free no more.
  assertEquals(await amountOf(["delivered", service]), "0");
  await client.fold();
  assertEquals(await amountsOfTexts(), ["0.3", "0", "0.3"]);
  const [from, to] = [-100, 2].map((days) =>
    new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10)
  );
  const usage = await client.stack.messages(
    tenant,
    "GET",
    `/usage?from=${from}&to=${to}&groupBy=category`,
  );
  assertEquals(
    usage.body.items.filter(({ key }: Body) => key === "service").map(({ free }: Body) => free),
    [5],
  );
});

Deno.test("without rates a free service message has no cost, counted or not", async () => {
  await using client = await createWebhookClient();
  const { tenant, deliver } = await openShop(client);
  await setFreeMessages(client, tenant, 1);
  const { messageId, estimatedCost } = await deliver(phone, ["delivered", told("service")]);
  assertEquals(estimatedCost, null);
  await client.fold();
  const { body } = await client.stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals(body.estimatedCost, null);
  assertEquals(await readFree(client, tenant), [true]);
});

Deno.test("an allowance that was made smaller takes no place away, and an earlier delivery takes the last one", async () => {
  await using client = await createWebhookClient();
  const { tenant, deliver } = await openShop(client);
  await setFreeMessages(client, tenant, 3);
  // Of the month before, so that no month ends in between.
  const now = new Date();
  const seconds = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 5) / 1_000;
  const at = (second: number): object => ({ ...told("service"), timestamp: `${seconds + second}` });
  for (const second of [-30, -20, -10]) await deliver(phone, ["delivered", at(second)]);
  await client.fold();
  await setFreeMessages(client, tenant, 1);
  await deliver(phone, ["delivered", at(0)]);
  await client.fold();
  assertEquals(await readFree(client, tenant), [true, true, true, false]);
  await deliver(phone, ["delivered", at(-25)]);
  await client.fold();
  assertEquals(await readFree(client, tenant), [true, true, false, false, true]);
});

Deno.test("what is billed as something else after all leaves its free place to the next", async () => {
  await using client = await createWebhookClient();
  const { tenant, replaceRates, deliver } = await openShop(client);
  await replaceRates();
  await setFreeMessages(client, tenant, 1);
  const to = "5521977776666";
  const { messageId, providerMessageId: id } = await deliver(to, ["delivered"]);
  await client.fold();
  assertEquals(await readFree(client, tenant), [true]);
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  const item = { id, status: "read", timestamp, recipient_id: to, ...told("utility") };
  await client.cloud(tenant, cloudPayload({ statuses: [item] }));
  await client.fold();
  const { body } = await client.stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals(body.estimatedCost, { amount: "0.02", currency: "USD" });
  await deliver(to, ["delivered", told("service")]);
  await client.fold();
  assertEquals((await readFree(client, tenant)).at(-1), true);
});

/** Whether each message is one of the month's free ones, in the order of their sending. */
async function readFree({ stack }: WebhookClient, { instanceId }: Tenant): Promise<unknown[]> {
  const rows = await stack.admin`
    select is_free_service as free from messaging.messages
    where instance_id = ${instanceId} order by created_at`;
  return rows.map(({ free }) => free);
}

Deno.test("twenty deliveries at once use no more free messages than there are", async () => {
  await using client = await createWebhookClient();
  const { tenant, deliver } = await openShop(client);
  await setFreeMessages(client, tenant, 7);
  // At one instant, so that they are of one month.
  const service = { ...told("service"), timestamp: `${Math.floor(Date.now() / 1_000)}` };
  await Promise.all(Array.from({ length: 20 }, () => deliver(phone, ["delivered", service])));
  await client.fold();
  const [row] = await client.stack.admin`
    select count(*) filter (where is_free_service)::integer as free, count(*)::integer as all
    from messaging.messages where instance_id = ${tenant.instanceId}`;
  assertEquals(row, { free: 7, all: 20 });
});
