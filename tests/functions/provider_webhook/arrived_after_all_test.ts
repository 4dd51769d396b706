/** What a provider called failed, and then delivered or read: the customer has it. */

import { assert, assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  listRecipients,
  readBatch,
  readRecipients,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { readFeed } from "./channels.ts";
import { cloudPayload, createWebhookClient, phone, type WebhookClient } from "./webhook_client.ts";

type Status = "failed" | "delivered" | "read";
type Report = (id: string, status: Status, at: number) => Promise<unknown>;

const text = { phone, messageType: "text", message: "oi" };
const hourMs = 3_600_000;

/** A tenant of each provider, with the way in which its channel tells a status. */
async function createReporters(
  client: WebhookClient,
): Promise<readonly { readonly tenant: Tenant; readonly report: Report }[]> {
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const zapi = await client.createTenant();
  const evolution = await client.createTenant({ provider: "evolution" });
  return [
    { tenant: official, report: reportByCloud(client, official) },
    {
      tenant: zapi,
      report: (id, status, momment) =>
        client.zapi(
          zapi,
          status === "failed"
            ? {
              type: "DeliveryCallback",
              phone,
              messageId: id,
              error: "Phone number does not exist",
            }
            : {
              type: "MessageStatusCallback",
              status: status === "read" ? "READ" : "RECEIVED",
              ids: [id],
              momment,
            },
        ),
    },
    {
      tenant: evolution,
      report: (keyId, status) => {
        const name = { failed: "ERROR", delivered: "DELIVERY_ACK", read: "READ" }[status];
        const remoteJid = `${phone}@s.whatsapp.net`;
        const data = { keyId, remoteJid, fromMe: true, status: name };
        return client.evolution(evolution, { event: "messages.update", data });
      },
    },
  ];
}

function reportByCloud(client: WebhookClient, tenant: Tenant): Report {
  return (id, status, at) => {
    const errors = [{ code: 131026, title: "Message undeliverable" }];
    const item = { id, status, timestamp: `${Math.floor(at / 1_000)}`, recipient_id: phone };
    return client.cloud(
      tenant,
      cloudPayload({ statuses: [status === "failed" ? { ...item, errors } : item] }),
    );
  };
}

Deno.test("a message that failed and was delivered or read after all is that, whatever the instants, and is not sent again", async () => {
  await using client = await createWebhookClient();
  for (const { tenant, report } of await createReporters(client)) {
    for (const status of ["delivered", "read"] as const) {
      for (const later of [-hourMs, 0, hourMs]) {
        const { body } = await client.stack.send(tenant, text);
        const { messageId, providerMessageId } = body;
        const at = Date.now();
        await report(providerMessageId, "failed", at);
        const path = `/messages/${messageId}`;
        const failed = await client.stack.messages(tenant, "GET", path);
        assertEquals(failed.body.status, "failed");
        await report(providerMessageId, status, at + later);
        // Late and repeated: it cannot fail any more.
        await report(providerMessageId, "failed", at);
        const { body: state } = await client.stack.messages(tenant, "GET", path);
        assertEquals(
          [state.status, state.failedAt, state.lastError, state.deliveredAt === null],
          [status, null, null, false],
        );
        const calls = client.stack.provider.requests.length;
        const retried = await client.stack.messages(tenant, "POST", `${path}/retry`);
        assertEquals([retried.status, retried.body.error], [409, "message_not_retriable"]);
        await client.stack.dispatch();
        assertEquals(client.stack.provider.requests.length, calls);
        const told = (await readFeed(client, tenant))
          .filter(({ data }) => data.messageId === messageId)
          .map(({ type }) => type);
        assertEquals(told, ["message.sent", "message.failed", `message.${status}`]);
      }
    }
    await client.fold();
    const dayOf = (days: number): string =>
      new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const path = `/usage?from=${dayOf(-2)}&to=${dayOf(2)}&groupBy=month`;
    const { body: usage } = await client.stack.messages(tenant, "GET", path);
    const delivered = usage.items.map((item: { delivered: number }) => item.delivered);
    assertEquals(delivered.reduce((sum: number, count: number) => sum + count, 0), 6);
  }
});

Deno.test("a waiting retry ends when the message that failed was delivered after all", async () => {
  await using client = await createWebhookClient();
  for (const { tenant, report } of await createReporters(client)) {
    const { body } = await client.stack.send(tenant, text);
    await report(body.providerMessageId, "failed", Date.now());
    const path = `/messages/${body.messageId}`;
    const retried = await client.stack.messages(tenant, "POST", `${path}/retry`);
    assertEquals([retried.status, retried.body.status], [200, "queued"]);
    await report(body.providerMessageId, "delivered", Date.now());
    const calls = client.stack.provider.requests.length;
    await letTimePass(client.stack.admin, 3_600);
    await client.stack.dispatch();
    assertEquals(client.stack.provider.requests.length, calls);
    const { body: state } = await client.stack.messages(tenant, "GET", path);
    assertEquals(state.status, "delivered");
  }
});

Deno.test("a refused call whose message arrived by our own id counts as delivered, and is told as sent too", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  client.stack.provider.answer = () => Response.json({ error: { code: 100 } }, { status: 400 });
  const { status } = await client.stack.send(tenant, text);
  assertEquals(status, 502);
  const [row] = await client.messages(tenant);
  const item = {
    ...{ id: "wamid.LATE", status: "delivered", recipient_id: phone },
    ...{ timestamp: `${Math.floor(Date.now() / 1_000)}`, biz_opaque_callback_data: row!["id"] },
  };
  await client.cloud(tenant, cloudPayload({ statuses: [item] }));
  const told = (await readFeed(client, tenant)).map(({ type }) => type);
  assertEquals(told, ["message.failed", "message.sent", "message.delivered"]);
});

Deno.test("a batch counts who was delivered after all, and its retry-failed passes them over, before it and after it", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const report = reportByCloud(client, tenant);
  const batchId = await createBatch(stack, tenant, { recipients: listRecipients(3) });
  await changeBatch(stack, tenant, batchId, "start");
  await runBatches(stack, 3);
  const sent = await readRecipients(stack, tenant, batchId);
  const ids = await Promise.all(sent.map(async ({ messageId }) => {
    const { body } = await stack.messages(tenant, "GET", `/messages/${messageId}`);
    return String(body.providerMessageId);
  }));
  const calls = stack.provider.requests.length;
  for (const id of ids) await report(id, "failed", Date.now());
  assertEquals((await readBatch(stack, tenant, batchId)).counts.failed, 3);
  await report(ids[0]!, "delivered", Date.now() - hourMs);

  // The one is in the queue for its retry, the other one waits for its turn.
  await changeBatch(stack, tenant, batchId, "retry-failed");
  const retrying = await readBatch(stack, tenant, batchId);
  assertEquals(
    [retrying.counts.delivered, retrying.counts.queued + retrying.counts.pending],
    [1, 2],
  );
  const paused = await changeBatch(stack, tenant, batchId, "pause");
  assertEquals([paused.counts.delivered, paused.counts.pending], [1, 2]);
  await report(ids[1]!, "delivered", Date.now());
  await report(ids[2]!, "read", Date.now());
  const { counts } = await readBatch(stack, tenant, batchId);
  assertEquals([counts.delivered, counts.read, counts.pending, counts.failed], [2, 1, 0, 0]);
  const statuses = (await readRecipients(stack, tenant, batchId)).map(({ status }) => status);
  assertEquals(statuses, ["delivered", "delivered", "read"]);
  await changeBatch(stack, tenant, batchId, "resume");
  await runBatches(stack, 3);
  assertEquals(stack.provider.requests.length, calls);
  assert((await readBatch(stack, tenant, batchId)).status === "finished");
  const again = await callBatches(stack, tenant, "POST", `/batches/${batchId}/retry-failed`);
  assertEquals(again.body.counts.pending, 0);
});
