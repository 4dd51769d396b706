/** Payment requests to many people: each with its own amount, reference and code. */
import { assert, assertEquals } from "../../support/assert.ts";
import {
  callBatches,
  createBatch,
  phoneOf,
  readRecipients,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { createWebhookClient, type WebhookClient } from "../provider_webhook/webhook_client.ts";
import { amountCode, pixPayment, post, requestPayment } from "./payment_client.ts";

type Json = Readonly<Record<string, unknown>>;

const message = {
  messageType: "payment_request",
  message: "{{nome}}, o pedido {{pedido}}",
  payment: {
    reference: "{{pedido}}",
    amount: "{{valor}}",
    pix: { key: "12345678909", keyType: "cpf", merchantName: "Loja", merchantCity: "Recife" },
  },
};

function listRecipients(values: readonly Json[]): Json[] {
  return values.map((variables, place) => ({ phone: phoneOf(place), variables }));
}

const recipients = listRecipients([
  { nome: "Ana", pedido: "a-1", valor: "10.50" },
  { nome: "Bia", pedido: "b-1", valor: "1234" },
  { nome: "Caio", pedido: "c-1", valor: 7 },
]);

async function startBatch(client: WebhookClient, tenant: Tenant, fields: Json): Promise<string> {
  const batchId = await createBatch(client.stack, tenant, {
    ...{ message, recipients, intervalSeconds: 10 },
    ...fields,
  });
  await callBatches(client.stack, tenant, "POST", `/batches/${batchId}/start`);
  return batchId;
}

async function listPayments(client: WebhookClient, tenant: Tenant): Promise<unknown[]> {
  const { body } = await client.stack.messages(tenant, "GET", "/payments");
  return body.items.map((item: Json) => [item["reference"], item["amount"], item["status"]]);
}

Deno.test("each recipient of a batch is asked for its own amount, with its own code", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const batchId = await startBatch(client, tenant, {});
  await runBatches(client.stack, 5);
  assertEquals(await listPayments(client, tenant), [
    ...[["a-1", "10.50", "pending"], ["b-1", "1234.00", "pending"], ["c-1", "7.00", "pending"]],
  ]);
  const sent = await client.stack.admin<{ message: string; code: string; codes: number }[]>`
    select m.message, m.content->'payment'->>'pixCode' as code,
      (select count(*)::integer from messaging.messages c
        where c.message = m.content->'payment'->>'pixCode') as codes
    from messaging.messages m where m.message_type = 'payment_request' order by m.message`;
  assertEquals(sent.map((row) => [row.message, row.codes]), [
    ...[["Ana, o pedido a-1", 1], ["Bia, o pedido b-1", 1], ["Caio, o pedido c-1", 1]],
  ]);
  assertEquals(new Set(sent.map(({ code }) => code)).size, 3);
  assert(sent[0]?.code.includes("540510.50") && sent[0].code.includes("0502a1"), sent[0]?.code);
  const states = (await readRecipients(client.stack, tenant, batchId)).map(({ status }) => status);
  assertEquals(states, ["sent", "sent", "sent"]);
});

Deno.test("a recipient's values are checked as a request's are, before anything is stored", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const refuse = async (fields: Json): Promise<unknown[]> => {
    const body = { message, recipients, ...fields };
    const answer = await callBatches(client.stack, tenant, "POST", "/batches", body);
    const entry = answer.body.errors?.[0];
    return [
      answer.status,
      entry === undefined ? answer.body.issues?.[0].path : `${entry.index} ${entry.issues[0].path}`,
    ];
  };
  const ofFirst = (variables: Json): Json => ({
    recipients: [{
      phone: phoneOf(0),
      variables: { ...recipients[1]!["variables"]!, ...variables },
    }],
  });
  const withPayment = (payment: Json): Json => ({
    message: { ...message, payment: { ...message.payment, ...payment } },
  });
  const code = { pix: { code: "{{code}}" } };
  const soon = new Date(Date.now() + 60_000).toISOString();
  const cases: [Json, string][] = [
    [ofFirst({ valor: "1,50" }), "0 payment.amount"],
    [ofFirst({ valor: "0" }), "0 payment.amount"],
    [ofFirst({ valor: null }), "0 variables.valor"],
    [ofFirst({ pedido: "a b" }), "0 payment.reference"],
    [ofFirst({ pedido: "x".repeat(36) }), "0 payment.reference"],
    [
      { ...withPayment(code), ...ofFirst({ code: amountCode, valor: "1.00" }) },
      "0 payment.pix.code",
    ],
    [{ ...withPayment(code), ...ofFirst({ code: `${amountCode}x` }) }, "0 payment.pix.code"],
    [withPayment({ reference: "one" }), "1 payment.reference"],
    [withPayment({ amount: "1,5" }), "message.payment.amount"],
    [withPayment({ pix: undefined }), "0 payment.pix"],
    [withPayment({ expiresAt: soon }), "message.payment.expiresAt"],
    [
      withPayment({ pix: { ...message.payment.pix, merchantName: "{{nome}}" } }),
      "message.payment.pix.merchantName",
    ],
    [{ ask: { answerWithin: "PT1H" } }, "ask"],
  ];
  for (const [fields, place] of cases) {
    assertEquals(await refuse(fields), [400, place], JSON.stringify(fields));
  }
  const twice = { message, recipients, ...withPayment({ amount: "1,5", expiresAt: soon }) };
  const { body } = await callBatches(client.stack, tenant, "POST", "/batches", twice);
  assertEquals(body.issues.map(({ path }: Json) => path), [
    ...["message.payment.amount", "message.payment.expiresAt"],
  ]);
  const [stored] = await client.stack
    .admin`select count(*)::integer as batches from messaging.batches`;
  assertEquals(stored?.["batches"], 0);
});

Deno.test("a reference that is in use skips its recipient alone, in whatever call or batch it came", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await requestPayment(client, tenant, { ...pixPayment, reference: "b-1" });
  const dry = await callBatches(client.stack, tenant, "POST", "/batches", {
    ...{ message, recipients, dryRun: true },
  });
  assertEquals(dry.body.items.map((item: Json) => item["reason"] ?? null), [
    ...[null, "reference_in_use", null],
  ]);
  const batchId = await createBatch(client.stack, tenant, {
    ...{ message, recipients, intervalSeconds: 10 },
  });
  const more = [{ phone: phoneOf(5), variables: { nome: "Duda", pedido: "a-1", valor: "1" } }];
  await callBatches(client.stack, tenant, "POST", `/batches/${batchId}/recipients`, {
    recipients: more,
  });
  await callBatches(client.stack, tenant, "POST", `/batches/${batchId}/start`);
  await runBatches(client.stack, 6);
  const states = (await readRecipients(client.stack, tenant, batchId))
    .map(({ status, reason }) => [status, reason]);
  assertEquals(states, [
    ...[["sent", null], ["skipped", "reference_in_use"], ["sent", null]],
    ["skipped", "reference_in_use"],
  ]);
});

Deno.test("a batch ends before its payments do, and a payment's end cancels the request that waits", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const expiresAt = new Date(Date.now() + 3_600_000);
  const batchId = await startBatch(client, tenant, {
    message: { ...message, payment: { ...message.payment, expiresAt: expiresAt.toISOString() } },
  });
  const { body } = await callBatches(client.stack, tenant, "GET", `/batches/${batchId}`);
  assertEquals(Date.parse(body.expiresAt), expiresAt.getTime() - 300_000);
  const [first] = await readRecipients(client.stack, tenant, batchId);
  assertEquals(first?.status, "queued");
  assertEquals((await post(client, tenant, "/payments/a-1", { status: "canceled" })).status, 200);
  assertEquals((await readRecipients(client.stack, tenant, batchId))[0]?.status, "canceled");
  const retried = await client.stack.messages(
    tenant,
    "POST",
    `/messages/${first?.messageId}/retry`,
  );
  assertEquals(retried.status, 409);
});

Deno.test("a request that failed is not tried again by its batch after its payment has ended", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const accept = client.stack.provider.answer;
  client.stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  const batchId = await startBatch(client, tenant, {});
  await runBatches(client.stack, 4);
  client.stack.provider.answer = accept;
  assertEquals((await post(client, tenant, "/payments/a-1", { status: "paid" })).status, 200);
  await requestPayment(client, tenant, { ...pixPayment, reference: "b-1" });
  await callBatches(client.stack, tenant, "POST", `/batches/${batchId}/retry-failed`);
  await runBatches(client.stack, 4);
  const states = (await readRecipients(client.stack, tenant, batchId))
    .map(({ status, reason }) => [status, reason]);
  assertEquals(states, [
    ...[["skipped", "payment_ended"], ["skipped", "reference_in_use"], ["sent", null]],
  ]);
});

Deno.test("at most 1,000 messages and recipients wait for one payment", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "zapi" });
  const text = { messageType: "text", message: "Ainda dá tempo" };
  const create = (count: number): Promise<{ status: number; body: Json }> =>
    callBatches(client.stack, tenant, "POST", "/batches", {
      ...{ message: text, cancelOn: ["payment"], paymentReference: "order-1" },
      recipients: Array.from({ length: count }, (_, place) => ({ phone: phoneOf(place) })),
    });
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const wait = (): Promise<{ status: number; body: Json }> =>
    client.stack.send(tenant, {
      ...{ phone: phoneOf(0), ...text, sendAt, cancelOn: ["payment"] },
      paymentReference: "order-1",
    });
  assertEquals((await wait()).status, 200);
  const first = await create(990);
  assertEquals(first.status, 201);
  const second = await create(10);
  assertEquals([second.status, (second.body["issues"] as Json[])[0]?.["path"]], [
    ...[400, "paymentReference"],
  ]);
  assertEquals((await create(9)).status, 201);
  const third = await wait();
  assertEquals([third.status, (third.body["issues"] as Json[])[0]?.["path"]], [
    ...[400, "paymentReference"],
  ]);
  // What has ended waits no more.
  const path = `/batches/${first.body["batchId"]}/cancel`;
  await callBatches(client.stack, tenant, "POST", path);
  assertEquals((await wait()).status, 200);
});
