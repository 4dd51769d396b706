/** What a batch costs: estimated before it starts, summed up while it runs. */

import { assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  type Members,
  phoneOf,
  readBatch,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import type { Tenant, TenantOptions } from "../../support/fixtures/tenant.ts";
import {
  cloudPayload,
  createWebhookClient,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Json = any;

const rate = (market: string, category: string, amount: string, effectiveFrom = "2026-01-01") => ({
  ...{ market, category, amount, effectiveFrom },
});

async function replaceRates(
  { stack }: WebhookClient,
  { workspaceId }: Tenant,
  changes: Members = {},
): Promise<void> {
  await callFunction(stack.admin, "replace_rates", {
    ...{ workspaceId, currency: "USD", dryRun: false },
    markets: [{ name: "Brazil", callingCodes: ["55"] }, { name: "Chile", callingCodes: ["56"] }],
    rates: [
      ...[rate("Brazil", "utility", "0.0125"), rate("Brazil", "marketing", "0.1")],
      ...[rate("Chile", "utility", "0.02"), rate("Brazil", "service", "0.003")],
    ],
    ...changes,
  });
}

/** An official tenant without free service messages. */
async function createOfficial(
  client: WebhookClient,
  options: TenantOptions = {},
): Promise<Tenant> {
  const tenant = await client.createTenant({ provider: "whatsapp_cloud", ...options });
  await client.stack.admin`
    update messaging.instances set free_service_messages_per_month = 0
    where id = ${tenant.instanceId}`;
  return tenant;
}

async function createTemplate(
  { stack }: WebhookClient,
  { workspaceId, instanceId }: Tenant,
): Promise<string> {
  const [row] = await stack.admin`
    insert into messaging.message_templates (
      workspace_id, instance_id, name, language, parameter_format, components, category,
      provider_status, provider_template_id
    ) values (${workspaceId}, ${instanceId}, 'p', 'pt_BR', 'NAMED',
      '[{"type":"BODY","text":"Oi"}]'::jsonb, 'UTILITY', 'APPROVED', '4711')
    returning id`;
  return row?.["id"];
}

/** Two of Brazil, one of Chile, one of a market without rates. */
const recipients = [phoneOf(0), phoneOf(1), "56977770002", "4915112345678"]
  .map((phone) => ({ phone }));

const usd = (amount: string, unknown = 0) => ({ amount, currency: "USD", unknown });

async function dryRun(client: WebhookClient, tenant: Tenant, body: Members): Promise<Json> {
  const answer = await callBatches(client.stack, tenant, "POST", "/batches", {
    ...{ recipients, dryRun: true, ...body },
  });
  assertEquals(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

const text = { messageType: "text", message: "Oi" };

Deno.test("whom an ad brought costs nothing while it is free, and takes no free message of the month", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { admin } = client.stack;
  await replaceRates(client, tenant);
  const referral = { source_type: "ad", source_id: "7" };
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  const told = { from: phoneOf(0), id: "M1", timestamp, type: "text", text: { body: "oi" } };
  await client.cloud(tenant, cloudPayload({ messages: [{ ...told, referral }] }));
  const estimate = async (startAt?: string): Promise<unknown> => {
    const settings = {
      message: text,
      recipients: recipients.slice(0, 2),
      ...(startAt && { startAt }),
    };
    const { estimatedCost } = await dryRun(client, tenant, settings);
    const batchId = await createBatch(client.stack, tenant, settings);
    assertEquals((await readBatch(client.stack, tenant, batchId)).estimatedCost, estimatedCost);
    return estimatedCost;
  };
  assertEquals(await estimate(), usd("0.006"), "not answered yet");
  const sent = await client.stack.send(tenant, { ...text, phone: phoneOf(0) });
  assertEquals(sent.body.status, "sent");
  assertEquals(await estimate(), usd("0.003"));
  await admin`
    update messaging.instances set free_service_messages_per_month = 1
    where id = ${tenant.instanceId}`;
  assertEquals(await estimate(), usd("0"));
});

Deno.test("a dry run and a draft cost the rate of each recipient's market and the template's category", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const template = { templateId: await createTemplate(client, tenant) };
  assertEquals((await dryRun(client, tenant, { template })).estimatedCost, {
    ...{ amount: "0", currency: null, unknown: 4 },
  });
  await replaceRates(client, tenant);
  const estimated = usd("0.045", 1);
  assertEquals((await dryRun(client, tenant, { template })).estimatedCost, estimated);
  const batchId = await createBatch(client.stack, tenant, {
    ...{ message: undefined, template, recipients },
  });
  const stored = await callBatches(client.stack, tenant, "POST", `/batches/${batchId}/dry-run`);
  assertEquals(stored.body.estimatedCost, estimated);
  const rest = await callBatches(client.stack, tenant, "POST", `/batches/${batchId}/dry-run`, {
    ...{ fromIndex: 2, limit: 1 },
  });
  assertEquals(rest.body.estimatedCost, usd("0.02"));
  assertEquals((await readBatch(client.stack, tenant, batchId)).estimatedCost, estimated);
  const list = await callBatches(client.stack, tenant, "GET", "/batches");
  assertEquals(list.body.items[0].estimatedCost, estimated);
  assertEquals(list.body.items[0].estimatedCostAfterChange, null);
});

Deno.test("who gets nothing costs nothing", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const template = { templateId: await createTemplate(client, tenant) };
  await replaceRates(client, tenant);
  const batchId = await createBatch(client.stack, tenant, {
    ...{ message: undefined, template },
    recipients: [...recipients, { phone: phoneOf(0) }],
  });
  await client.stack.admin`
    update messaging.contacts set is_blocked = true where phone in (${
    phoneOf(1)
  }, '4915112345678')`;
  const { body } = await callBatches(client.stack, tenant, "POST", `/batches/${batchId}/dry-run`);
  assertEquals(body.estimatedCost, usd("0.0325"));
  assertEquals((await readBatch(client.stack, tenant, batchId)).estimatedCost, usd("0.0325"));
});

Deno.test("the rate is that of the slot's day, and free service messages are counted off once", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client, { timeZone: "UTC" });
  const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000);
  await replaceRates(client, tenant, {
    rates: [
      rate("Brazil", "service", "0.003"),
      rate("Brazil", "service", "0.5", inDays(2).toISOString().slice(0, 10)),
    ],
  });
  const people = Array.from({ length: 5 }, (_, index) => ({ phone: phoneOf(index) }));
  const estimate = async (body: Members): Promise<Json> =>
    (await dryRun(client, tenant, { message: text, recipients: people, ...body })).estimatedCost;
  assertEquals(await estimate({}), usd("0.015"));
  assertEquals(await estimate({ startAt: inDays(3).toISOString() }), usd("2.5"));
  await client.stack.admin`
    update messaging.instances set free_service_messages_per_month = 10
    where id = ${tenant.instanceId}`;
  const nextYear = new Date().getUTCFullYear() + 1;
  await client.stack.admin`
    insert into messaging.free_service_months (instance_id, month, used)
    values (${tenant.instanceId}, ${`${nextYear}-03-01`}, 7)`;
  await replaceRates(client, tenant);
  const startAt = `${nextYear}-03-10T12:00:00Z`;
  const message = { message: text, recipients: people, startAt };
  assertEquals(await estimate({ startAt }), usd("0.006"));
  const batchId = await createBatch(client.stack, tenant, message);
  assertEquals((await readBatch(client.stack, tenant, batchId)).estimatedCost, usd("0.006"));
  const part = await callBatches(client.stack, tenant, "POST", `/batches/${batchId}/dry-run`, {
    fromIndex: 2,
  });
  assertEquals(part.body.estimatedCost, usd("0.006"));
});

Deno.test("each month has its own free service messages, and only service messages take them", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  await replaceRates(client, tenant, {
    markets: [{ name: "Brazil", callingCodes: ["55"] }, {
      name: "Santos",
      callingCodes: ["5513999"],
    }],
    rates: [
      ...[rate("Brazil", "service", "1"), rate("Brazil", "utility", "10")],
      rate("Santos", "utility", "100"),
    ],
  });
  await client.stack.admin`
    update messaging.instances set free_service_messages_per_month = 2
    where id = ${tenant.instanceId}`;
  await client.stack.admin`
    insert into messaging.free_service_months (instance_id, month, used)
    values (${tenant.instanceId}, '2027-02-01', 1),
      (${(await createOfficial(client)).instanceId}, '2027-02-01', 2)`;
  const estimate = async (
    category: string,
    ...sends: readonly (readonly [at: string, own?: string, phone?: string])[]
  ): Promise<Json> => {
    const planned = sends.map(([sent_at, own, phone = phoneOf(0)]) => ({
      ...{ sent_at, phone, category: own, is_estimated: true },
    }));
    const [row] = await client.stack.admin`
      select messaging.estimate_sends(i, ${category}, array(
        select s from jsonb_populate_recordset(
          null::messaging.planned_send, ${JSON.stringify(planned)}::text::jsonb
        ) as s
      )) as estimated
      from messaging.instances i where i.id = ${tenant.instanceId}`;
    return row?.["estimated"];
  };
  const [january, february] = ["2027-01-31T23:59:59Z", "2027-02-01T00:00:00Z"];
  const twoEach = [[january], [january], [february], [february]] as const;
  assertEquals(await estimate("service", ...twoEach), usd("1"));
  assertEquals(await estimate("service", ...twoEach, [january, "utility"]), usd("11"));
  assertEquals(await estimate("utility", ...twoEach, [january, "service"]), usd("40"));
  assertEquals(
    await estimate("utility", [january, undefined, "5513999776666"], [january]),
    usd("110"),
  );
});

Deno.test("a started batch tells what it has cost, folded or not, and after an erasure", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const template = { templateId: await createTemplate(client, tenant) };
  await replaceRates(client, tenant);
  const batchId = await createBatch(client.stack, tenant, {
    ...{ message: undefined, template, recipients, intervalSeconds: 10 },
  });
  const cost = async (): Promise<Json> =>
    (await readBatch(client.stack, tenant, batchId)).estimatedCost;
  assertEquals(
    (await changeBatch(client.stack, tenant, batchId, "start")).estimatedCost,
    usd("0"),
  );
  await runBatches(client.stack, 5);
  assertEquals(await cost(), usd("0"));
  const sent = await client.stack.admin`
    select provider_message_id as id from messaging.messages where batch_id = ${batchId}`;
  assertEquals(sent.length, 4);
  const pricing = { category: "utility", type: "regular", pricing_model: "PMP" };
  const report = (ids: readonly Json[]) =>
    client.cloud(
      tenant,
      cloudPayload({
        statuses: ids.map(({ id }) => ({
          ...{ id, status: "delivered", recipient_id: "55", pricing },
          timestamp: `${Math.floor(Date.now() / 1_000)}`,
        })),
      }),
    );
  await report(sent.slice(0, 1));
  assertEquals((await cost()).unknown + Number((await cost()).amount) > 0, true);
  await report(sent);
  await report(sent);
  assertEquals(await cost(), usd("0.045", 1));
  await callFunction(client.stack.admin, "fold_usage", { maxChanges: 3 });
  assertEquals(await cost(), usd("0.045", 1));
  await callFunction(client.stack.admin, "fold_usage", { maxChanges: 1_000 });
  const [contact] = await client.stack.admin`
    select id from messaging.contacts where instance_id = ${tenant.instanceId} and phone = ${
    phoneOf(0)
  }`;
  await client.stack.request(
    `/contacts-api/contacts/${contact?.["id"]}?instanceId=${tenant.instanceId}`,
    { method: "DELETE", headers: { "x-client-token": tenant.token } },
  );
  await callFunction(client.stack.admin, "run_erasures", { maxRows: 100 });
  assertEquals(await cost(), usd("0.045", 1));
  await replaceRates(client, tenant, { currency: "EUR" });
  assertEquals(await cost(), { amount: "0", currency: "EUR", unknown: 4 });
});

Deno.test("an announced category comes with the estimate of what is still to be sent", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const template = { templateId: await createTemplate(client, tenant) };
  await replaceRates(client, tenant);
  const batchId = await createBatch(client.stack, tenant, {
    ...{ message: undefined, template, recipients },
  });
  await client.stack.admin`
    update messaging.message_templates
    set category_changes_to = 'MARKETING', category_changes_at = now() + interval '1 day'`;
  const told = ({ warnings, estimatedCost, estimatedCostAfterChange }: Json): Json[] => [
    ...[warnings, estimatedCost, estimatedCostAfterChange],
  ];
  const both = [["category_changes"], usd("0.045", 1), usd("0.2", 2)];
  assertEquals(told(await dryRun(client, tenant, { template })), both);
  assertEquals(told(await readBatch(client.stack, tenant, batchId)), both);
  await changeBatch(client.stack, tenant, batchId, "start");
  // One is in the queue; three are still to be sent.
  assertEquals(told(await readBatch(client.stack, tenant, batchId)), [
    ...[["category_changes"], usd("0"), usd("0.1", 2)],
  ]);
  await changeBatch(client.stack, tenant, batchId, "cancel");
  assertEquals(told(await readBatch(client.stack, tenant, batchId)), [[], usd("0"), null]);
});

Deno.test("a gateway bills nothing, and another workspace's rates estimate nothing", async () => {
  await using client = await createWebhookClient();
  const gateway = await client.createTenant();
  const [own, other] = [await createOfficial(client), await createOfficial(client)];
  for (const { tenant } of [{ tenant: gateway }, { tenant: own }]) {
    await replaceRates(client, tenant);
  }
  const estimate = async (tenant: Tenant): Promise<Json> =>
    (await dryRun(client, tenant, { message: text })).estimatedCost;
  assertEquals(await estimate(gateway), null);
  const batchId = await createBatch(client.stack, gateway, { message: text, recipients });
  assertEquals((await readBatch(client.stack, gateway, batchId)).estimatedCost, null);
  await changeBatch(client.stack, gateway, batchId, "start");
  assertEquals((await readBatch(client.stack, gateway, batchId)).estimatedCost, null);
  assertEquals(await estimate(own), usd("0.006", 2));
  assertEquals(await estimate(other), { amount: "0", currency: null, unknown: 4 });
});
