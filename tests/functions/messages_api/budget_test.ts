/** What a month may cost: what a reached budget holds, and what it tells. */

import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { passMonthEnd } from "../../support/clock_edges.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import {
  changeBatch,
  createBatch,
  phoneOf,
  readBatch,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import { replaceRates, setBudget } from "../../support/fixtures/budgets.ts";
import { protect } from "../../support/fixtures/protected_tenant.ts";
import { findMiddayZone } from "../../support/midday_zone.ts";
import type { Tenant, TenantOptions } from "../../support/fixtures/tenant.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  phone,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Json = any;

/** An official tenant without free service messages, with time left in the month. */
async function createShop(client: WebhookClient, options: TenantOptions = {}): Promise<Tenant> {
  await passMonthEnd();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud", ...options });
  await client.stack.admin`
    update messaging.instances set free_service_messages_per_month = 0
    where id = ${tenant.instanceId}`;
  return tenant;
}

async function readBudget({ stack }: WebhookClient, tenant: Tenant): Promise<Json> {
  const { status, body } = await stack.messages(tenant, "GET", "/usage/budget");
  assertEquals(status, 200, JSON.stringify(body));
  const { success: _, ...state } = body;
  return state;
}

async function readQueue({ stack }: WebhookClient, tenant: Tenant): Promise<Json[]> {
  return (await stack.messages(tenant, "GET", "/queue")).body.items;
}

async function startBatch(
  { stack }: WebhookClient,
  tenant: Tenant,
  count: number,
  settings: object = {},
): Promise<string> {
  const batchId = await createBatch(stack, tenant, {
    message: { messageType: "text", message: "Oi" },
    recipients: Array.from({ length: count }, (_, place) => ({ phone: phoneOf(place) })),
    ...settings,
  });
  await changeBatch(stack, tenant, batchId, "start");
  return batchId;
}

/** Lets the channel tell the same status of every message that it has accepted. */
async function tellAll(client: WebhookClient, tenant: Tenant, status: string): Promise<void> {
  const sent = await client.stack.admin<{ id: string }[]>`
    select provider_message_id as id from messaging.messages
    where instance_id = ${tenant.instanceId} and status = 'sent' order by sent_at, id`;
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  const errors = status === "failed" ? [{ code: 131026, title: "Undeliverable" }] : undefined;
  for (const { id } of sent) {
    const item = { id, status, timestamp, recipient_id: "55", errors };
    await client.cloud(tenant, cloudPayload({ statuses: [item] }));
  }
}

async function readAlerts({ stack }: WebhookClient): Promise<[string, string][]> {
  const rows = await stack.admin<{ type: string; data: Json }[]>`
    select type, data from messaging.events where type like 'budget.%' order by sequence`;
  return rows.map(({ type, data }) => [type, data.monthlyAmount]);
}

const sentOf = (batch: Json): number => batch.counts.sent + batch.counts.delivered;

Deno.test("a reaction, which is billed to nobody and never told as delivered, is no cost under way", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await createShop(client);
  await replaceRates(stack.admin, tenant);
  await setBudget(stack.admin, tenant, "0.35", "batches");
  await client.cloud(tenant, cloudPayload({ messages: [cloudText("IN1", "Oi")] }));
  const [{ id: messageId } = {}] = await client.messages(tenant);
  for (const emoji of ["👍", "❤", "😂", null]) {
    const { status, body } = await stack.send(tenant, {
      ...{ phone, messageType: "reaction", reaction: { messageId, emoji } },
    });
    assertEquals([status, body.status], [200, "sent"], JSON.stringify(body));
  }
  const nothing = { monthlyAmount: "0.35", currency: "USD", spent: "0", underWay: "0" };
  assertEquals(await readBudget(client, tenant), { ...nothing, reached: false });
  await client.fold();
  assertEquals(await readBudget(client, tenant), { ...nothing, reached: false });
  await stack.send(tenant, { phone, messageType: "text", message: "Oi" });
  assertEquals((await readBudget(client, tenant)).underWay, "0.1");
});

Deno.test("a batch stops where its budget is spent or under way, and goes on when the budget is raised", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  await replaceRates(client.stack.admin, tenant);
  await setBudget(client.stack.admin, tenant, "0.35", "batches");
  const batchId = await startBatch(client, tenant, 8);
  await runBatches(client.stack, 6);
  assertEquals(sentOf(await readBatch(client.stack, tenant, batchId)), 4);
  assertEquals(await readBudget(client, tenant), {
    ...{ monthlyAmount: "0.35", currency: "USD", spent: "0", underWay: "0.4", reached: true },
  });
  const [waiting, ...others] = await readQueue(client, tenant);
  assertEquals([waiting.heldBy, others], ["budget", []]);
  const { body: message } = await client.stack.messages(
    tenant,
    "GET",
    `/messages/${waiting.messageId}`,
  );
  assertEquals([message.status, message.heldBy], ["queued", "budget"]);
  const [month] = await client.stack.admin`
    select ((date_trunc('month', now() at time zone i.time_zone) + interval '1 month')
      at time zone i.time_zone)::text as end
    from messaging.instances i where i.id = ${tenant.instanceId}`;
  // Some minutes have passed since.
  assert(Date.parse(waiting.scheduledFor) >= Date.parse(month?.["end"]) - 600_000);
  const { body: health } = await client.stack.messages(tenant, "GET", "/health");
  assertEquals([health.status, health.budget.reached], ["ok", true]);
  await tellAll(client, tenant, "delivered");
  await client.fold();
  assertEquals(await readBudget(client, tenant), {
    ...{ monthlyAmount: "0.35", currency: "USD", spent: "0.4", underWay: "0", reached: true },
  });
  await setBudget(client.stack.admin, tenant, "0.6", "batches");
  await runBatches(client.stack, 6);
  assertEquals(sentOf(await readBatch(client.stack, tenant, batchId)), 6);
  await setBudget(client.stack.admin, tenant, null);
  await runBatches(client.stack, 4);
  assertEquals(sentOf(await readBatch(client.stack, tenant, batchId)), 8);
});

Deno.test("answers, utility and what it does not name leave while a budget is reached; marketing waits", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  await replaceRates(client.stack.admin, tenant);
  await setBudget(client.stack.admin, tenant, "0", "marketing");
  const queue = async (purpose?: string): Promise<string> => {
    const { status, body } = await client.stack.send(tenant, {
      ...{ phone: phoneOf(0), messageType: "text", message: "Oi", queued: true, purpose },
    });
    assertEquals(status, 200, JSON.stringify(body));
    return body.messageId;
  };
  const marketing = await queue("marketing");
  const passing = [await queue("utility"), await queue(), await queue("authentication")];
  await runBatches(client.stack, 5);
  const stateOf = async (id: string): Promise<unknown[]> => {
    const { body } = await client.stack.messages(tenant, "GET", `/messages/${id}`);
    return [body.status, body.heldBy];
  };
  assertEquals(await stateOf(marketing), ["queued", "budget"]);
  for (const id of passing) assertEquals(await stateOf(id), ["sent", null]);
  const scheduled = await client.stack.send(tenant, {
    ...{ phone: phoneOf(1), messageType: "text", message: "Oi", purpose: "marketing" },
    sendAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await letTimePass(client.stack.admin, 3_601);
  await client.stack.dispatch();
  assertEquals(await stateOf(scheduled.body.messageId), ["queued", "budget"]);
  const immediate = await client.stack.send(tenant, {
    ...{ phone: phoneOf(0), messageType: "text", message: "Oi" },
  });
  assertEquals(immediate.body.status, "sent");
  const called = client.stack.provider.requests.length;
  const held = await client.stack.send(tenant, {
    ...{ phone: phoneOf(2), messageType: "text", message: "Oi", purpose: "marketing" },
  });
  assertEquals([held.body.mode, held.body.status, held.body.heldBy], [
    ...["scheduled", "queued", "budget"],
  ]);
  assertEquals(client.stack.provider.requests.length, called);
  assert(Date.parse(held.body.scheduledFor) > Date.now());
  await setBudget(client.stack.admin, tenant, "0", "batches");
  await runBatches(client.stack, 2);
  assertEquals(await stateOf(held.body.messageId), ["sent", null]);
  assertEquals(await stateOf(marketing), ["sent", null]);
  assertEquals(await stateOf(scheduled.body.messageId), ["sent", null]);
});

Deno.test("what has no pace leaves a budget inside the send window alone, not at the month's midnight", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client, {
    // Where it is noon.
    timeZone: findMiddayZone(),
    window: { start: "09:30", end: "10:00", days: [1, 2, 3, 4, 5, 6, 7] },
  });
  await replaceRates(client.stack.admin, tenant);
  await setBudget(client.stack.admin, tenant, "0", "marketing");
  const message = { messageType: "text", message: "Oi", purpose: "marketing" };
  const now = await client.stack.send(tenant, { ...message, phone: phoneOf(0) });
  const later = await client.stack.send(tenant, {
    ...{ ...message, phone: phoneOf(1) },
    sendAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await letTimePass(client.stack.admin, 3_601);
  await client.stack.dispatch();
  const queue = await readQueue(client, tenant);
  assertEquals(queue.map(({ messageId, heldBy }) => [messageId, heldBy]).sort(), [
    ...[[now.body.messageId, "budget"], [later.body.messageId, "budget"]].sort(),
  ]);
  assertMatch(now.body.scheduledFor, /-01T09:30:00/);
  const [held] = queue.filter(({ messageId }) => messageId === later.body.messageId);
  assertMatch(held.scheduledFor, /-01T09:30:00/);
  await setBudget(client.stack.admin, tenant, null);
  const released = await readQueue(client, tenant);
  assertEquals(released.map(({ heldBy }) => heldBy), ["window", "window"]);
  for (const { scheduledFor } of released) {
    assertMatch(scheduledFor, /T09:30:00/);
    assert(Date.parse(scheduledFor) < Date.now() + 86_400_000, scheduledFor);
  }
});

Deno.test("what a budget holds gives the day's quota and its place back", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client, { timeZone: findMiddayZone() });
  const { admin } = client.stack;
  await protect(admin, tenant.instanceId, { perDay: 5 });
  await replaceRates(admin, tenant);
  await setBudget(admin, tenant, "0", "marketing");
  const { body } = await client.stack.send(tenant, {
    ...{ phone: phoneOf(0), messageType: "text", message: "Oi", purpose: "marketing" },
    queued: true,
  });
  const readDay = async (): Promise<unknown> => {
    const [day] = await admin`
      select waiting, last_left_at is not null as is_taken from messaging.paced_days
      where instance_id = ${tenant.instanceId} order by day limit 1`;
    return { ...day };
  };
  assertEquals(await readDay(), { waiting: 1, is_taken: true });
  await runBatches(client.stack, 1);
  const { body: held } = await client.stack.messages(tenant, "GET", `/messages/${body.messageId}`);
  assertEquals([held.status, held.heldBy], ["queued", "budget"]);
  assertEquals(await readDay(), { waiting: 0, is_taken: false });
});

Deno.test("a budget does not stop a batch of utility messages", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  await replaceRates(client.stack.admin, tenant);
  await setBudget(client.stack.admin, tenant, "0.1", "batches", "marketing");
  const batchId = await startBatch(client, tenant, 3, { purpose: "utility" });
  await runBatches(client.stack, 4);
  assertEquals(sentOf(await readBatch(client.stack, tenant, batchId)), 3);
});

Deno.test("a budget that names batches stops one of marketing", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  await replaceRates(client.stack.admin, tenant);
  await setBudget(client.stack.admin, tenant, "0.1", "batches");
  const batchId = await startBatch(client, tenant, 3, { purpose: "marketing" });
  await runBatches(client.stack, 4);
  assertEquals(sentOf(await readBatch(client.stack, tenant, batchId)), 1);
  assertEquals((await readQueue(client, tenant)).map(({ heldBy }) => heldBy), ["budget"]);
});

Deno.test("many in flight exceed a budget by no message more than one, whatever is delivered", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  await replaceRates(client.stack.admin, tenant);
  await callFunction(client.stack.admin, "update_instance", {
    instanceId: tenant.instanceId,
    changes: { pace: { messagesPerSecond: 80 } },
  });
  await setBudget(client.stack.admin, tenant, "2.05", "batches");
  const batchId = await startBatch(client, tenant, 60);
  for (let round = 0; round < 12; round++) {
    await client.stack.dispatch({ durationMs: 150 });
    if (round === 6) await tellAll(client, tenant, "delivered");
    if (round % 3 === 0) await client.fold();
    await letTimePass(client.stack.admin, 2);
  }
  assertEquals(sentOf(await readBatch(client.stack, tenant, batchId)), 21);
  const queue = await readQueue(client, tenant);
  assert(queue.length > 0);
  assertEquals(new Set(queue.map(({ heldBy }) => heldBy)), new Set(["budget"]));
});

Deno.test("what was under way and has failed gives its part of the budget back", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  await replaceRates(client.stack.admin, tenant);
  await setBudget(client.stack.admin, tenant, "0.2", "batches");
  const batchId = await startBatch(client, tenant, 4);
  await runBatches(client.stack, 4);
  await client.fold();
  assertEquals(sentOf(await readBatch(client.stack, tenant, batchId)), 2);
  await tellAll(client, tenant, "failed");
  await client.fold();
  assertEquals((await readBudget(client, tenant)).reached, false);
  await runBatches(client.stack, 3);
  assertEquals((await readBatch(client.stack, tenant, batchId)).counts.sent, 2);
});

Deno.test("the amounts of a budget are told without zeros at their end", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  await replaceRates(client.stack.admin, tenant);
  await client.stack.admin`update messaging.rates set amount = 0.100`;
  await setBudget(client.stack.admin, tenant, "10.00");
  const told = { monthlyAmount: "10", currency: "USD", reached: false };
  await client.stack.send(tenant, { phone: phoneOf(0), messageType: "text", message: "Oi" });
  assertEquals(await readBudget(client, tenant), { ...told, spent: "0", underWay: "0.1" });
  await tellAll(client, tenant, "delivered");
  assertEquals(await readBudget(client, tenant), { ...told, spent: "0.1", underWay: "0" });
});

Deno.test("what has failed before it was counted was never under way", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  await replaceRates(client.stack.admin, tenant);
  await setBudget(client.stack.admin, tenant, "10");
  await client.stack.send(tenant, { phone: phoneOf(0), messageType: "text", message: "Oi" });
  await tellAll(client, tenant, "failed");
  await client.fold();
  assertEquals((await readBudget(client, tenant)).underWay, "0");
});

Deno.test("a warning and the end of a budget are told once a month and amount, by event and e-mail", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  await client.stack.admin`
    update messaging.workspaces set alert_email = 'alerta@example.com'
    where id = ${tenant.workspaceId}`;
  await replaceRates(client.stack.admin, tenant);
  await setBudget(client.stack.admin, tenant, "1");
  const send = async (count: number): Promise<void> => {
    for (let place = 0; place < count; place++) {
      await client.stack.send(tenant, { phone: phoneOf(0), messageType: "text", message: "Oi" });
    }
    await client.fold();
  };
  await send(7);
  assertEquals(await readAlerts(client), []);
  await send(1);
  await send(1);
  assertEquals(await readAlerts(client), [["budget.warning", "1"]]);
  await tellAll(client, tenant, "delivered");
  await send(2);
  await send(1);
  assertEquals(await readAlerts(client), [["budget.warning", "1"], ["budget.reached", "1"]]);
  await setBudget(client.stack.admin, tenant, "1.5");
  assertEquals((await readAlerts(client)).slice(2), [["budget.warning", "1.5"]]);
  await setBudget(client.stack.admin, tenant, "1");
  assertEquals((await readAlerts(client)).length, 3);
  for (let runs = 0; client.stack.mail.requests.length < 3 && runs < 20; runs++) {
    await client.stack.dispatch();
  }
  assertEquals(client.stack.mail.requests.map(({ json }) => [json["to"], json["subject"]]), [
    ["alerta@example.com", "Orçamento em 80 %: Loja"],
    ["alerta@example.com", "Orçamento atingido: Loja"],
    ["alerta@example.com", "Orçamento em 80 %: Loja"],
  ]);
});

Deno.test("a warning that comes with the end of the budget has an e-mail of its own", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  await client.stack.admin`
    update messaging.workspaces set alert_email = 'alerta@example.com'
    where id = ${tenant.workspaceId}`;
  await replaceRates(client.stack.admin, tenant);
  await setBudget(client.stack.admin, tenant, "0.1", "marketing");
  await client.stack.send(tenant, { phone: phoneOf(0), messageType: "text", message: "Oi" });
  await client.fold();
  for (let runs = 0; client.stack.mail.requests.length < 2 && runs < 20; runs++) {
    await client.stack.dispatch();
  }
  const mails = client.stack.mail.requests.map(({ json }) => json as Json)
    .sort((one, other) => one.subject < other.subject ? -1 : 1);
  assertEquals(mails.map(({ subject }) => subject), [
    "Orçamento atingido: Loja",
    "Orçamento em 80 %: Loja",
  ]);
  assertMatch(
    mails[0].text,
    /Aguardam o fim do mês ou um orçamento maior: mensagens de marketing\./,
  );
  assertMatch(mails[1].text, /^80 % do orçamento da instância Loja/);
  const events = await client.stack.admin<{ data: Json; month: string }[]>`
    select e.data, to_char(now() at time zone i.time_zone, 'YYYY-MM') as month
    from messaging.events e join messaging.instances i on i.id = e.instance_id
    where e.type like 'budget.%'`;
  assertEquals(events.length, 2);
  for (const { data, month } of events) {
    assertEquals(data, {
      ...{ instanceId: tenant.instanceId, month, warnAtPercent: 80, stops: ["marketing"] },
      ...{ monthlyAmount: "0.1", currency: "USD", spent: "0", underWay: "0.1", reached: true },
    });
  }
});

Deno.test("what is under way costs what it will: nothing while a free service message is left, nor at a gateway", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  await client.stack.admin`
    update messaging.instances set free_service_messages_per_month = 1
    where id = ${tenant.instanceId}`;
  await client.stack.admin`
    insert into messaging.free_service_months (instance_id, month, used)
    values (${tenant.instanceId}, '2026-01-01', 1)`;
  const gateway = await client.createTenant();
  await client.stack.admin`
    update messaging.instances set free_service_messages_per_month = 0
    where id = ${gateway.instanceId}`;
  for (const each of [tenant, gateway]) await replaceRates(client.stack.admin, each);
  // No call gives a gateway a budget: its messages cost nothing.
  await client.stack.admin`
    update messaging.instances
    set budget = '{"monthlyAmount": "10", "warnAtPercent": 80, "stops": []}'`;
  const send = (to: Tenant): Promise<Json> =>
    client.stack.send(to, { phone: phoneOf(0), messageType: "text", message: "Oi" });
  const underWay = async (of: Tenant): Promise<unknown> => (await readBudget(client, of)).underWay;
  await send(tenant);
  await send(gateway);
  assertEquals([await underWay(tenant), await underWay(gateway)], ["0", "0"]);
  await tellAll(client, tenant, "delivered");
  await client.fold();
  await send(tenant);
  assertEquals(await underWay(tenant), "0.1");
  await client.fold();
  assertEquals([await underWay(tenant), await underWay(gateway)], ["0.1", "0"]);
});

Deno.test("what was not delivered within 30 days is under way no more", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  await replaceRates(client.stack.admin, tenant);
  await setBudget(client.stack.admin, tenant, "10");
  await client.stack.admin`
    insert into messaging.budget_under_way (message_id, instance_id, sent_at, amount)
    values (gen_random_uuid(), ${tenant.instanceId}, now() - interval '29 days', 1),
      (gen_random_uuid(), ${tenant.instanceId}, now() - interval '31 days', 2)`;
  assertEquals((await readBudget(client, tenant)).underWay, "1");
});

Deno.test("a month begins at midnight of the instance's zone, and only the rates' currency is spent", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client, { timeZone: "America/Sao_Paulo" });
  await replaceRates(client.stack.admin, tenant);
  await setBudget(client.stack.admin, tenant, "10");
  await client.stack.admin`
    insert into messaging.usage (instance_id, grouping, day, key, currency, delivered, amount)
    values (${tenant.instanceId}, 'day', '2027-01-31', '', 'USD', 1, 3),
      (${tenant.instanceId}, 'day', '2027-02-01', '', 'USD', 1, 4),
      (${tenant.instanceId}, 'day', '2027-02-01', '', 'EUR', 1, 5)`;
  // Not in the sums yet.
  await client.stack.admin`
    insert into messaging.usage_changes (instance_id, counted_at, delivered, currency, amount)
    values (${tenant.instanceId}, '2027-02-01T02:59:59Z', 1, 'USD', 10),
      (${tenant.instanceId}, '2027-02-01T03:00:00Z', 1, 'USD', 20),
      (${tenant.instanceId}, '2027-02-01T03:00:00Z', 1, 'EUR', 40),
      (${tenant.instanceId}, '2027-03-01T03:00:00Z', 1, 'USD', 80)`;
  const spentAt = async (instant: string): Promise<unknown> => {
    const [row] = await client.stack.admin`
      select s.month::text, s.spent::text from messaging.instances i
      cross join lateral messaging.budget_state(i, ${instant}::timestamptz) as s
      where i.id = ${tenant.instanceId}`;
    return [row?.["month"], row?.["spent"]];
  };
  assertEquals(await spentAt("2027-02-01T02:59:59Z"), ["2027-01-01", "13"]);
  assertEquals(await spentAt("2027-02-01T03:00:00Z"), ["2027-02-01", "24"]);
});

Deno.test("without rates a budget is never reached, and a budget without a form is refused", async () => {
  await using client = await createWebhookClient();
  const tenant = await createShop(client);
  assertEquals(await readBudget(client, tenant), {
    ...{ monthlyAmount: null, currency: null, spent: "0", underWay: "0", reached: false },
  });
  await setBudget(client.stack.admin, tenant, "0.1", "batches");
  const batchId = await startBatch(client, tenant, 2);
  await runBatches(client.stack, 3);
  assertEquals(sentOf(await readBatch(client.stack, tenant, batchId)), 2);
  assertEquals(await readBudget(client, tenant), {
    ...{ monthlyAmount: "0.1", currency: null, spent: "0", underWay: "0", reached: false },
  });
  assertEquals(await readAlerts(client), []);
});
