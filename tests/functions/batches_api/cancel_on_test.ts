/** A batch whose messages a reply or a payment cancels: what still waits ends, and whose turn is to come is skipped. */

import { assertEquals } from "../../support/assert.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  phoneOf,
  readRecipients,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import { delayNextSlot } from "../../support/fixtures/queue_slots.ts";
import { createWebhookClient } from "../provider_webhook/webhook_client.ts";

const reminder = { messageType: "text", message: "Seu pedido {{pedido}} espera" };
const recipients = [0, 1, 2, 3].map((place) => ({
  phone: phoneOf(place),
  variables: { pedido: `ped-${place}` },
}));

Deno.test("a reply cancels the recipient's message that waits, and skips whose turn is to come", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "zapi" });
  await client.receive(tenant, { phone: phoneOf(3), messageId: "before", text: { message: "oi" } });
  const batchId = await createBatch(stack, tenant, {
    ...{ message: reminder, recipients, cancelOn: ["reply"], intervalSeconds: 10 },
  });
  await delayNextSlot(stack.admin, tenant.instanceId, 3_600);
  await callBatches(stack, tenant, "POST", `/batches/${batchId}/start`);
  await stack.database.rpc("feed_batches", { maxInstances: 10 });
  const reply = (place: number, momment = Date.now()) =>
    client.receive(tenant, {
      ...{ phone: phoneOf(place), messageId: `R${place}`, text: { message: "já fiz" }, momment },
    });
  // It was written before the start, and the channel delivers it only now.
  await reply(2, Date.now() - 3_600_000);
  await reply(0);
  await stack.database.rpc("feed_batches", { maxInstances: 10 });
  const [first, second, , fourth] = await readRecipients(stack, tenant, batchId);
  assertEquals([first?.status, second?.status, fourth?.status], ["canceled", "queued", "pending"]);
  const { body } = await stack.messages(tenant, "GET", `/messages/${first?.messageId}`);
  assertEquals([body.status, body.cancelReason], ["canceled", "replied"]);
  await stack.messages(tenant, "DELETE", `/messages/${second?.messageId}`);
  await stack.database.rpc("feed_batches", { maxInstances: 10 });
  const [, , third, last] = await readRecipients(stack, tenant, batchId);
  assertEquals([third?.status, third?.reason, last?.status], ["skipped", "replied", "queued"]);
});

Deno.test("a payment's end cancels and skips the recipients that wait for its reference alone", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "zapi" });
  const batchId = await createBatch(stack, tenant, {
    ...{ message: reminder, recipients, intervalSeconds: 10 },
    ...{ cancelOn: ["reply", "payment"], paymentReference: "{{pedido}}" },
  });
  await delayNextSlot(stack.admin, tenant.instanceId, 3_600);
  await callBatches(stack, tenant, "POST", `/batches/${batchId}/start`);
  await stack.database.rpc("feed_batches", { maxInstances: 10 });
  for (const place of [0, 2]) {
    await stack.admin`
      select messaging.cancel_on_payment(${tenant.instanceId}, ${`ped-${place}`}, 'paid')`;
  }
  const states = (await readRecipients(stack, tenant, batchId)).map(({ status, reason }) => [
    ...[status, reason],
  ]);
  assertEquals(states, [
    ...[["canceled", null], ["pending", null], ["skipped", "paid"], ["pending", null]],
  ]);
  const [batch] = [await callBatches(stack, tenant, "GET", `/batches/${batchId}`)];
  assertEquals([batch?.body.counts.pending, batch?.body.counts.skipped], [2, 1]);
});

Deno.test("what is tried again waits anew: a payment that came during the former attempt does not cancel it", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "zapi" });
  const batchId = await createBatch(stack, tenant, {
    ...{ message: reminder, recipients: recipients.slice(0, 1), intervalSeconds: 10 },
    ...{ cancelOn: ["payment"], paymentReference: "{{pedido}}" },
  });
  stack.provider.answer = async () => {
    await stack.admin`select messaging.cancel_on_payment(${tenant.instanceId}, 'ped-0', 'paid')`;
    return Response.json({ error: "no" }, { status: 400 });
  };
  await changeBatch(stack, tenant, batchId, "start");
  await runBatches(stack, 1);
  const [{ status, messageId }] = await readRecipients(stack, tenant, batchId);
  assertEquals(status, "failed");
  await delayNextSlot(stack.admin, tenant.instanceId, 3_600);
  await changeBatch(stack, tenant, batchId, "retry-failed");
  await stack.database.rpc("feed_batches", { maxInstances: 10 });
  await stack.messages(tenant, "DELETE", `/messages/${messageId}`);
  const { body } = await stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals([body.status, body.cancelReason], ["canceled", null]);
});

Deno.test("a batch's cancelOn is checked with its reference, as it is filled", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "zapi" });
  const create = async (fields: Readonly<Record<string, unknown>>): Promise<unknown[]> => {
    const body = { message: reminder, recipients, ...fields };
    const answer = await callBatches(client.stack, tenant, "POST", "/batches", body);
    return [
      answer.status,
      answer.body.issues?.[0]?.path ?? answer.body.errors?.[0]?.issues[0].path,
    ];
  };
  const cancelOn = ["payment"];
  assertEquals(await create({ cancelOn: ["read"] }), [400, "cancelOn.0"]);
  assertEquals(await create({ cancelOn }), [400, "paymentReference"]);
  assertEquals(await create({ paymentReference: "ped-1" }), [400, "paymentReference"]);
  assertEquals(await create({ cancelOn, paymentReference: "ped 1" }), [400, "paymentReference"]);
  assertEquals((await create({ cancelOn, paymentReference: "x {{pedido}}" }))[0], 400);
  assertEquals((await create({ cancelOn, paymentReference: "{{other}}" }))[0], 400);
  assertEquals(await create({ cancelOn, paymentReference: "{{pedido}}" }), [201, undefined]);
});
