/** What an instance's messages have cost: sums that are kept as they arise. */

import { assert, assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countRowsRead } from "../../support/database/rows_read.ts";
import { createSeededRandom } from "../../support/seeded_random.ts";
import { createAgent, type Tenant } from "../../support/fixtures/tenant.ts";
import { cloudPayload, createWebhookClient, type WebhookClient } from "./webhook_client.ts";
import { usageGroupings } from "../../../shared/http/usage_query.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const rate = (market: string, category: string, amount: string) => ({
  ...{ market, category, amount, effectiveFrom: "2026-01-01" },
});

function replaceRates(
  client: WebhookClient,
  { workspaceId }: Tenant,
  currency: string,
): Promise<unknown> {
  return callFunction(client.stack.admin, "replace_rates", {
    ...{ workspaceId, currency, dryRun: false },
    markets: [{ name: "Brazil", callingCodes: ["55"] }, { name: "Chile", callingCodes: ["56"] }],
    rates: [
      ...[rate("Brazil", "service", "0.0125"), rate("Brazil", "utility", "0.02")],
      rate("Chile", "service", "0.0000000007"),
    ],
  });
}

async function setFreeMessages(
  { stack }: WebhookClient,
  { instanceId }: Tenant,
  count: number,
): Promise<void> {
  await stack.admin`
    update messaging.instances set free_service_messages_per_month = ${count} where id = ${instanceId}`;
}

async function read(client: WebhookClient, tenant: Tenant, query: string): Promise<Body> {
  const answer = await client.stack.messages(tenant, "GET", `/usage?${query}`);
  assertEquals(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** A day of UTC, so many days from today. */
function dayFromNow(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

/** The year until tomorrow's morrow, so that a midnight during a test is in it. */
const everything = `from=${dayFromNow(-363)}&to=${dayFromNow(2)}`;

function report(
  client: WebhookClient,
  tenant: Tenant,
  id: string,
  status: string,
  pricing?: object,
  at = Date.now(),
): Promise<Body> {
  const item = { id, status, timestamp: `${Math.floor(at / 1_000)}`, recipient_id: "55", pricing };
  return client.cloud(tenant, cloudPayload({ statuses: [item] }));
}

/** The sums of a grouping, counted from the messages themselves. */
async function rebuild(client: WebhookClient, tenant: Tenant, groupBy: string): Promise<Body[]> {
  const rows: Body[] = await client.stack.admin`
    select m.*, (m.sent_at at time zone i.time_zone)::date::text as sent_day,
      (m.delivered_at at time zone i.time_zone)::date::text as delivered_day
    from messaging.messages m join messaging.instances i on i.id = m.instance_id
    where m.instance_id = ${tenant.instanceId} and m.direction = 'outbound'`;
  const sums = new Map<string, Body>();
  const add = (key: string | null, counts: Record<string, number>): void => {
    const name = key ?? "";
    const sum = sums.get(name) ?? { sent: 0, delivered: 0, free: 0, unknown: 0, cost: 0n };
    for (const [field, count] of Object.entries(counts)) {
      sum[field] += field === "cost" ? BigInt(Math.round(count * 1e10)) : count;
    }
    sums.set(name, sum);
  };
  const keyOf = (row: Body, day: string, isDelivery: boolean): string | null => {
    const keys: Record<string, string | null> = {
      ...{ day, month: day.slice(0, 7), messageType: row.message_type, sentBy: row.sent_by },
      ...{ agent: row.agent_id, batch: row.batch_id },
      type: isDelivery ? row.pricing?.type ?? null : null,
      market: isDelivery ? row.pricing?.market ?? null : null,
      category: isDelivery ? row.pricing?.category ?? "service" : "service",
    };
    return keys[groupBy] ?? null;
  };
  for (const row of rows) {
    if (row.sent_at !== null) add(keyOf(row, row.sent_day, false), { sent: 1 });
    if (row.delivered_at === null) continue;
    const isFree = row.pricing?.type?.startsWith("free_") === true || row.is_free_service === true;
    const isKnown = row.cost_currency === "USD" && !isFree;
    add(keyOf(row, row.delivered_day, true), {
      ...{ delivered: 1, free: isFree ? 1 : 0 },
      unknown: row.pricing !== null && !isFree && !isKnown ? 1 : 0,
      cost: isKnown ? Number(row.estimated_cost) : 0,
    });
  }
  return [...sums].sort(([one], [other]) => one < other ? -1 : 1).map(([key, sum]) => ({
    ...{ key: key === "" ? null : key, sent: sum.sent, delivered: sum.delivered, free: sum.free },
    ...{ estimatedCost: Number(sum.cost) / 1e10, unknown: sum.unknown },
  }));
}

/** The sums of each day, read in pages, are those of that day alone; in order. */
async function checkDaily(client: WebhookClient, tenant: Tenant, groupBy: string): Promise<void> {
  const items: Body[] = [];
  let cursor = "";
  do {
    const page = await read(
      client,
      tenant,
      `${everything}&groupBy=${groupBy}&daily=true&limit=3${cursor}`,
    );
    items.push(...page.items);
    cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`;
  } while (cursor !== "");
  const days = [...new Set(items.map(({ day }) => day))];
  assertEquals(days, days.toSorted());
  assert(days.length > 1, `${days}`);
  const alone: Body[] = [];
  for (const day of days) {
    const { items: ofDay } = await read(client, tenant, `from=${day}&to=${day}&groupBy=${groupBy}`);
    alone.push(...ofDay.map((item: Body) => ({ ...item, day })));
  }
  assertEquals(items, alone, groupBy);
}

Deno.test("the sums are those of the messages after random lives, in every grouping, folded or not", async () => {
  await using client = await createWebhookClient();
  const { seed, between } = createSeededRandom();
  const next = (): number => between(0, 1);
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(next() * values.length)] as Value;
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const gateway = await client.createTenant();
  await setFreeMessages(client, official, 9);
  await replaceRates(client, official, "USD");
  const ids: string[] = [];
  const steps: Record<string, () => Promise<unknown>> = {
    send: async () => {
      const content = {
        ...{ phone: pick(["5511977770001", "56977770002", "4915112345678"]), messageType: "text" },
        ...{ message: "oi", sentBy: pick(["crm", "loja"]) },
      };
      const { body } = await client.stack.send(official, content);
      ids.push(body.providerMessageId);
      const sent = (await client.stack.send(gateway, content)).body;
      if (next() < 0.5) return;
      const read = { type: "MessageStatusCallback", status: "READ", ids: [sent.providerMessageId] };
      await client.zapi(gateway, { ...read, momment: Date.now() });
    },
    tell: async () => {
      if (ids.length === 0) return;
      const type = pick(["regular", "free_entry_point", "free_customer_service"]);
      const category = pick(["service", "utility", "marketing"]);
      const pricing = next() < 0.5 ? undefined : { category, type, pricing_model: "PMP" };
      const status = pick(["sent", "delivered", "read", "failed", "delivered"]);
      const days = Math.floor(next() * 3) * 86_400_000;
      for (let times = pick([1, 1, 2]); times > 0; times--) {
        await report(client, official, pick(ids), status, pricing, Date.now() - days);
      }
    },
    fold: () => callFunction(client.stack.admin, "fold_usage", { maxChanges: pick([1, 7, 100]) }),
    // What had been sent and failed waits once more, and leaves under another id.
    retry: async () => {
      const failed = await client.stack.admin<{ id: string }[]>`
        select id from messaging.messages
        where instance_id = ${official.instanceId} and status = 'failed' order by id`;
      if (failed.length === 0) return;
      await client.stack.messages(official, "POST", `/messages/${pick(failed)?.id}/retry`);
      if (next() < 0.5) return;
      await client.stack.dispatch();
      const sent = await client.stack.admin<{ id: string }[]>`
        select provider_message_id as id from messaging.messages
        where instance_id = ${official.instanceId} and status = 'sent'`;
      ids.push(...sent.map(({ id }) => id));
    },
  };
  for (let step = 0; step < 120; step++) {
    await steps[pick(["send", "tell", "tell", "tell", "fold", "retry"])]?.();
  }
  for (const tenant of [official, gateway]) {
    for (const groupBy of usageGroupings) {
      const { items } = await read(client, tenant, `${everything}&groupBy=${groupBy}`);
      const counted = items.map((item: Body) => ({
        ...item,
        estimatedCost: Number(item.estimatedCost),
      }));
      assertEquals(counted, await rebuild(client, tenant, groupBy), `${groupBy}, seed ${seed}`);
    }
  }
  for (const groupBy of usageGroupings) await checkDaily(client, official, groupBy);
  const before = await read(client, official, `${everything}&groupBy=category`);
  await callFunction(client.stack.admin, "fold_usage", { maxChanges: 10_000 });
  const [left] = await client.stack
    .admin`
      select ((select count(*) from messaging.usage_changes)
        + (select count(*) from messaging.usage_notes))::integer as rows`;
  assertEquals(left?.["rows"], 0);
  assertEquals(await read(client, official, `${everything}&groupBy=category`), before);
});

Deno.test("two folds at once, and a fold beside deliveries, count nothing twice and lose nothing", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await setFreeMessages(client, tenant, 0);
  const text = { phone: "5511977770001", messageType: "text", message: "oi" };
  const ids: string[] = [];
  for (let place = 0; place < 12; place++) {
    ids.push((await client.stack.send(tenant, text)).body.providerMessageId);
  }
  const fold = () => callFunction(client.stack.admin, "fold_usage", { maxChanges: 3 });
  await Promise.all(ids.flatMap((id) => [report(client, tenant, id, "delivered"), fold(), fold()]));
  // Not by day: the last may be delivered on the next one.
  const { items: [sum, ...others] } = await read(
    client,
    tenant,
    `${everything}&groupBy=category`,
  );
  assertEquals([sum.sent, sum.delivered, sum.unknown, others], [12, 12, 12, []]);
});

Deno.test("a delivery of a message that another transaction holds is counted by the next fold, once", async () => {
  await using client = await createWebhookClient();
  const { admin } = client.stack;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await setFreeMessages(client, tenant, 0);
  const text = { phone: "5511977770001", messageType: "text", message: "oi" };
  const { messageId, providerMessageId } = (await client.stack.send(tenant, text)).body;
  await client.fold();
  await report(client, tenant, providerMessageId, "delivered");
  await admin.begin(async (sql) => {
    await sql`select from messaging.messages where id = ${messageId} for no key update`;
    await client.fold();
  });
  const [kept] = await admin`select count(*)::integer as notes from messaging.usage_notes`;
  assertEquals(kept?.["notes"], 1);
  for (let time = 0; time < 2; time++) {
    await client.fold();
    const { items: [sum] } = await read(client, tenant, `${everything}&groupBy=messageType`);
    assertEquals([sum.sent, sum.delivered, sum.unknown], [1, 1, 1]);
  }
});

Deno.test("what an agent has written is summed up under it, folded or not", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const agentId = await createAgent(client.stack.admin, tenant.instanceId);
  const text = { phone: "5511977770001", messageType: "text", message: "oi" };
  for (const sentBy of ["ai_agent", "crm"]) {
    const { body } = await client.stack.send(tenant, { ...text, sentBy });
    await report(client, tenant, body.providerMessageId, "delivered");
  }
  for (let time = 0; time < 2; time++) {
    const { items } = await read(client, tenant, `${everything}&groupBy=agent`);
    assertEquals(items.map(({ key, sent, delivered }: Body) => [key, sent, delivered]), [
      ...[[null, 1, 1], [agentId, 1, 1]],
    ]);
    await client.fold();
  }
});

Deno.test("usage is read a page at a time, by days of the instance's zone, and survives an erasure", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({
    ...{ provider: "whatsapp_cloud", timeZone: "America/Sao_Paulo" },
  });
  await replaceRates(client, tenant, "USD");
  const pricing = { category: "service", type: "regular", pricing_model: "PMP" };
  let contactId = "";
  // Around a month's first midnight in São Paulo, and in the month behind it.
  const now = new Date();
  const dayOf = (month: number, day: number): string =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, day)).toISOString()
      .slice(0, 10);
  const [last, first, later] = [dayOf(-6, 0), dayOf(-6, 1), dayOf(-5, 2)];
  for (const instant of [`${first}T02:59:59Z`, `${first}T03:00:00Z`, `${later}T12:00:00Z`]) {
    const text = { phone: "5511977770001", messageType: "text", message: "oi" };
    const { providerMessageId, messageId } = (await client.stack.send(tenant, text)).body;
    await report(client, tenant, providerMessageId, "delivered", pricing, Date.parse(instant));
    contactId =
      (await client.stack.messages(tenant, "GET", `/messages/${messageId}`)).body.contactId;
  }
  const keys = async (query: string): Promise<[string[], string | null]> => {
    const { items, nextCursor } = await read(client, tenant, query);
    return [
      items.filter((item: Body) => item.delivered > 0).map((item: Body) => item.key),
      nextCursor,
    ];
  };
  assertEquals(await keys(everything), [[last, first, later], null]);
  assertEquals(await keys(`from=${first}&to=${dayOf(-5, 1)}`), [[first], null]);
  assertEquals(
    (await keys(`${everything}&groupBy=month`))[0],
    [last, first, later].map((day) => day.slice(0, 7)),
  );
  const [page, cursor] = await keys(`${everything}&limit=2`);
  const [rest] = await keys(`${everything}&limit=2&cursor=${cursor}`);
  assertEquals([page, rest], [[last, first], [later]]);
  const countAll = async (): Promise<number[]> => {
    const { items } = await read(client, tenant, everything);
    return ["sent", "delivered", "free"].map((field) =>
      items.reduce((sum: number, item: Body) => sum + item[field], 0)
    );
  };
  assertEquals(await countAll(), [3, 3, 3]);
  const text = { phone: "5511977770001", messageType: "text", message: "oi" };
  const { providerMessageId } = (await client.stack.send(tenant, text)).body;
  await report(client, tenant, providerMessageId, "delivered", pricing, Date.now());
  assertEquals(await countAll(), [4, 4, 4]);
  const before = await read(client, tenant, everything);
  const erased = await client.stack.request(
    `/contacts-api/contacts/${contactId}?instanceId=${tenant.instanceId}`,
    { method: "DELETE", headers: { "x-client-token": tenant.token } },
  );
  assert([200, 202].includes(erased.status));
  await callFunction(client.stack.admin, "run_erasures", { maxRows: 100 });
  assertEquals(await read(client, tenant, everything), before);
});

Deno.test("amounts of another currency are in no sum", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await setFreeMessages(client, tenant, 0);
  const pricing = { category: "service", type: "regular", pricing_model: "PMP" };
  const text = { phone: "5511977770001", messageType: "text", message: "oi" };
  for (const currency of ["USD", "EUR"]) {
    await replaceRates(client, tenant, currency);
    const { providerMessageId } = (await client.stack.send(tenant, text)).body;
    await report(client, tenant, providerMessageId, "delivered", pricing);
  }
  const { currency, items: [sum] } = await read(
    client,
    tenant,
    `${everything}&groupBy=category`,
  );
  assertEquals([currency, sum.delivered, sum.estimatedCost, sum.unknown], ["EUR", 2, "0.0125", 1]);
});

Deno.test("an invalid period, one that is too long, or grouped by an unknown word is refused", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const paths = async (query: string): Promise<string[]> => {
    const { status, body } = await client.stack.messages(tenant, "GET", `/usage?${query}`);
    assertEquals(status, 400);
    return body.issues.map(({ path }: Body) => path);
  };
  assertEquals(await paths(""), ["from", "to"]);
  assertEquals(await paths("from=2026-02-30&to=2026-03-01&groupBy=week&daily=1"), [
    ...["from", "groupBy", "daily"],
  ]);
  assertEquals(await paths("from=2026-03-02&to=2026-03-01"), ["to"]);
  assertEquals(await paths("from=2025-01-01&to=2026-01-02"), ["to"]);
});

Deno.test("a year by day is a page over the days, however many messages they sum up", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await client.stack.admin`
    insert into messaging.usage (instance_id, grouping, day, key, currency, sent, delivered, amount)
    select ${tenant.instanceId}, g.grouping, '2026-01-01'::date + n, g.key, 'USD', 27397, 27000, 80
    from generate_series(0, 364) n
    cross join (
      values ('day', ''), ('category', 'service'), ('category', 'marketing'), ('sentBy', 'crm')
    ) as g(grouping, key)`;
  const year = { from: "2026-01-01", to: "2026-12-31" };
  const { items } = await read(client, tenant, `from=${year.from}&to=${year.to}&limit=1000`);
  assertEquals([items.length, items[0].sent], [365, 27_397]);
  const request = { instanceId: tenant.instanceId, ...year };
  const rows = await countRowsRead(
    client.stack.admin,
    (sql) =>
      callFunction(sql, "get_usage", { ...request, groupBy: "day", limit: 1_000, after: null }),
  );
  // An index's entry and its row for each day.
  assert(rows < 2 * 365 + 20, `${rows} rows read`);
});
