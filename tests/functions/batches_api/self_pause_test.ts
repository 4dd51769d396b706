/** A batch pauses by itself at an error that its next messages would meet too. */

import { assertEquals } from "../../support/assert.ts";
import {
  changeBatch,
  createBatch,
  listRecipients,
  readBatch,
  readRecipients,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import { isWaiting } from "../../support/database/sessions.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { MessagingStack } from "../../support/stack/messaging_stack.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";
import {
  cloudPayload,
  createWebhookClient,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";

interface Fault {
  readonly code: number;
  readonly title: string;
  readonly message: string;
}

const toFault = (code: number): Fault => {
  return { code, title: "Refused", message: `(#${code}) Refused` };
};

let accepted = 0;

/** What the channel answers, call by call: an error's code, or null for an acceptance. Then acceptances. */
function answerInTurn(stack: MessagingStack, codes: readonly (number | null)[]): void {
  const rest = [...codes];
  stack.provider.answer = () => {
    const code = rest.shift() ?? null;
    return code === null
      ? Response.json({ messaging_product: "whatsapp", messages: [{ id: `wamid.${++accepted}` }] })
      : Response.json({ error: toFault(code) }, { status: 400 });
  };
}

async function readPauses(stack: MessagingStack): Promise<unknown[]> {
  const rows = await stack.admin`
    select data from messaging.events where type = 'batch.paused' order by sequence`;
  return rows.map(({ data }) => data);
}

async function startBatch(
  stack: MessagingStack,
  tenant: Tenant,
  count: number,
): Promise<string> {
  const batchId = await createBatch(stack, tenant, { recipients: listRecipients(count) });
  await changeBatch(stack, tenant, batchId, "start");
  return batchId;
}

async function statusesOf(stack: MessagingStack, tenant: Tenant, id: string): Promise<string[]> {
  return (await readRecipients(stack, tenant, id)).map(({ status }) => status);
}

/** The channel's late word that a message has failed. */
function tellFailure(
  client: WebhookClient,
  tenant: Tenant,
  messageId: string,
  code: number,
): Promise<unknown> {
  return client.cloud(tenant, cloudPayload({ statuses: [toFailedStatus(messageId, code)] }));
}

function toFailedStatus(messageId: string, code: number): Readonly<Record<string, unknown>> {
  return {
    id: `wamid.of.${messageId}`,
    status: "failed",
    recipient_id: "5511900000000",
    biz_opaque_callback_data: messageId,
    timestamp: `${Math.floor(Date.now() / 1_000)}`,
    errors: [toFault(code)],
  };
}

/** An official tenant whose workspace has an alert address, and a batch that has sent `sent` of `count`. */
async function sendFirst(
  client: WebhookClient,
  sent: number,
  count: number,
): Promise<{ readonly tenant: Tenant; readonly batchId: string; readonly sentIds: string[] }> {
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  answerInTurn(client.stack, []);
  client.stack.provider.answer = ({ json }) => {
    const id = (json as { biz_opaque_callback_data: string }).biz_opaque_callback_data;
    return Response.json({ messaging_product: "whatsapp", messages: [{ id: `wamid.of.${id}` }] });
  };
  const batchId = await startBatch(client.stack, tenant, count);
  await runBatches(client.stack, sent - 1);
  const items = await readRecipients(client.stack, tenant, batchId);
  const sentIds = items.filter(({ status }) => status === "sent").map((item) => item.messageId);
  assertEquals(sentIds.length, sent);
  return { tenant, batchId, sentIds };
}

Deno.test("a batch pauses at the first refusal of its template, and tells it by event, e-mail and record", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await stack.admin`update messaging.workspaces set alert_email = 'ops@example.com'`;
  answerInTurn(stack, [132001]);
  const batchId = await startBatch(stack, tenant, 7);
  await runBatches(stack, 3);
  const error = { code: "132001", message: "Refused" };
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals(
    [batch.status, batch.pauseReason, batch.pauseError],
    ["paused", "template_refused", error],
  );
  assertEquals([batch.counts.failed, batch.counts.pending, batch.counts.queued], [1, 6, 0]);
  // deno-lint-ignore no-explicit-any -- the data of an event
  const [told, ...others]: any[] = await readPauses(stack);
  assertEquals(others, []);
  assertEquals(
    [told.batchId, told.status, told.reason, told.error, told.counts.pending],
    [batchId, "paused", "template_refused", error, 6],
  );
  const [mail, ...mails] = await stack.admin`
    select payload from messaging.outbox where kind = 'batch_paused_email'`;
  assertEquals(mails.length, 0);
  assertEquals([mail?.["payload"].batchId, mail?.["payload"].waiting], [batchId, 6]);
  const [failed] = await readRecipients(stack, tenant, batchId);
  assertEquals(failed.lastError, error);
});

Deno.test("a resumed batch goes on behind what has failed, and retry-failed tries that again", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  answerInTurn(stack, [132015]);
  const batchId = await startBatch(stack, tenant, 3);
  await runBatches(stack, 1);
  const resumed = await changeBatch(stack, tenant, batchId, "resume");
  assertEquals([resumed.status, resumed.pauseReason, resumed.pauseError], ["running", null, null]);
  await runBatches(stack, 2);
  assertEquals(await statusesOf(stack, tenant, batchId), ["failed", "sent", "sent"]);
  await changeBatch(stack, tenant, batchId, "retry-failed");
  await runBatches(stack, 1);
  assertEquals(await statusesOf(stack, tenant, batchId), ["sent", "sent", "sent"]);
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals([batch.status, batch.pauseReason], ["finished", null]);
});

Deno.test("a batch pauses with the fifth equal failure in a row; a success or another code between begins anew", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const bad = 131026;
  answerInTurn(stack, [bad, bad, bad, bad, null, bad, bad, 131009, bad, bad, bad, bad, bad, bad]);
  const batchId = await startBatch(stack, tenant, 20);
  await runBatches(stack, 11);
  assertEquals((await readBatch(stack, tenant, batchId)).status, "running");
  await runBatches(stack, 3);
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals(
    [
      batch.status,
      batch.pauseReason,
      batch.pauseError.code,
      batch.counts.failed,
      batch.counts.pending,
    ],
    ["paused", "failures_in_row", "131026", 12, 7],
  );
});

const arrivals = ["delivered", "read"].flatMap((arrived) => [
  { arrived, order: "in turn", places: [0, 1, 3, 4, 5] },
  { arrived, order: "the last one first", places: [5, 4, 3, 1, 0] },
]);

for (const { arrived, order, places } of arrivals) {
  Deno.test(`a message that was ${arrived} begins the row of failures anew, told ${order}`, async () => {
    await using client = await createWebhookClient();
    const { tenant, batchId, sentIds } = await sendFirst(client, 6, 9);
    const { errors: _none, ...told } = toFailedStatus(sentIds[2]!, 131026);
    await client.cloud(tenant, cloudPayload({ statuses: [{ ...told, status: arrived }] }));
    for (const place of places) await tellFailure(client, tenant, sentIds[place]!, 131026);
    const { status, counts } = await readBatch(client.stack, tenant, batchId);
    assertEquals([status, counts.failed], ["running", 5]);
  });
}

Deno.test("retry-failed takes back what a paused batch has failed, and the batch stays paused", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  answerInTurn(stack, [132001]);
  const batchId = await startBatch(stack, tenant, 3);
  await runBatches(stack, 1);
  const { status, pauseReason, counts } = await changeBatch(stack, tenant, batchId, "retry-failed");
  assertEquals([status, pauseReason, counts.failed, counts.pending], [
    ...["paused", "template_refused", 0, 3],
  ]);
  await runBatches(stack, 1);
  assertEquals((await readBatch(stack, tenant, batchId)).counts.pending, 3);
});

Deno.test("failures before a resume do not count again", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  answerInTurn(stack, Array(9).fill(131026));
  const batchId = await startBatch(stack, tenant, 12);
  await runBatches(stack, 6);
  assertEquals((await readBatch(stack, tenant, batchId)).counts.failed, 5);
  await changeBatch(stack, tenant, batchId, "resume");
  await runBatches(stack, 4);
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals([batch.status, batch.counts.failed, batch.counts.sent], ["running", 9, 1]);
});

Deno.test("the failure of a batch's last message ends the batch", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  answerInTurn(stack, [null, null, 132001]);
  const batchId = await startBatch(stack, tenant, 3);
  await runBatches(stack, 2);
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals([batch.status, batch.pauseReason, batch.counts.failed], ["finished", null, 1]);
  assertEquals(await readPauses(stack), []);
});

Deno.test("temporary refusals pause nothing, however many messages they end", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  answerInTurn(stack, Array(1_000).fill(131056));
  const batchId = await startBatch(stack, tenant, 6);
  for (let round = 0; round < 60; round++) {
    await letTimePass(stack.admin, 600);
    await stack.dispatch({ durationMs: 40 });
    if ((await readBatch(stack, tenant, batchId)).status !== "running") break;
  }
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals([batch.status, batch.counts.failed], ["finished", 6]);
});

Deno.test("a restriction of the account pauses its batches, and burns nobody", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  answerInTurn(stack, [131031]);
  const batchId = await startBatch(stack, tenant, 3);
  await runBatches(stack, 2);
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals(
    [batch.status, batch.pauseReason, batch.pauseError.code],
    ["paused", "account_restricted", "131031"],
  );
  assertEquals([batch.counts.pending, batch.counts.failed], [3, 0]);
  await letTimePass(stack.admin, 600);
  await changeBatch(stack, tenant, batchId, "resume");
  await runBatches(stack, 3);
  assertEquals(await statusesOf(stack, tenant, batchId), ["sent", "sent", "sent"]);
});

Deno.test("late statuses pause a batch in whatever order they come, and its waiting message goes back", async () => {
  await using client = await createWebhookClient();
  const { tenant, batchId, sentIds } = await sendFirst(client, 6, 9);
  for (const place of [4, 0, 3, 1]) await tellFailure(client, tenant, sentIds[place]!, 131026);
  const before = await readBatch(client.stack, tenant, batchId);
  assertEquals([before.status, before.counts.queued], ["running", 1]);
  await tellFailure(client, tenant, sentIds[2]!, 131026);
  const batch = await readBatch(client.stack, tenant, batchId);
  assertEquals(
    [batch.status, batch.pauseReason, batch.counts.queued, batch.counts.pending],
    ["paused", "failures_in_row", 0, 3],
  );
  await runBatches(client.stack, 2);
  assertEquals((await readBatch(client.stack, tenant, batchId)).counts.pending, 3);
});

Deno.test("a late status about the template pauses at once, and only batches that run", async () => {
  await using client = await createWebhookClient();
  const { tenant, batchId, sentIds } = await sendFirst(client, 2, 5);
  await tellFailure(client, tenant, sentIds[0]!, 132016);
  assertEquals((await readBatch(client.stack, tenant, batchId)).pauseReason, "template_refused");
  await tellFailure(client, tenant, sentIds[1]!, 132016);
  assertEquals((await readPauses(client.stack)).length, 1);
});

Deno.test("after a resume the late failure of what had left before pauses nothing", async () => {
  await using client = await createWebhookClient();
  const { tenant, batchId, sentIds } = await sendFirst(client, 2, 5);
  await tellFailure(client, tenant, sentIds[0]!, 132016);
  await changeBatch(client.stack, tenant, batchId, "resume");
  await tellFailure(client, tenant, sentIds[1]!, 132016);
  const { status, counts } = await readBatch(client.stack, tenant, batchId);
  assertEquals([status, counts.failed], ["running", 2]);
});

Deno.test("of five failures told at the same time the last one pauses the batch, once", async () => {
  await using client = await createWebhookClient();
  const { tenant, batchId, sentIds } = await sendFirst(client, 5, 8);
  await Promise.all(sentIds.map((id) => tellFailure(client, tenant, id, 131026)));
  const batch = await readBatch(client.stack, tenant, batchId);
  assertEquals([batch.status, batch.counts.failed], ["paused", 5]);
  assertEquals((await readPauses(client.stack)).length, 1);
});

Deno.test("of two failures that do not see each other the second waits for the first, and pauses the batch", async () => {
  await using client = await createWebhookClient();
  const { tenant, batchId, sentIds } = await sendFirst(client, 5, 8);
  const [fourth, fifth, ...others] = sentIds;
  for (const id of others) await tellFailure(client, tenant, id, 131026);
  const { admin } = client.stack;
  const fault = JSON.stringify({ code: "131026", message: "Refused" });
  let second: Promise<unknown> | undefined;
  let isTold = false;
  await admin.begin(async (sql) => {
    await sql`
      select messaging.advance_message(${fourth!}, null, 'failed', now(), ${fault}::text::jsonb)`;
    await sql`select messaging.pause_failing_batches()`;
    second = tellFailure(client, tenant, fifth!, 131026).then(() => isTold = true);
    await waitUntil(async () => isTold || await isWaiting(admin), { what: "the second failure" });
  });
  await second;
  assertEquals((await readBatch(client.stack, tenant, batchId)).pauseReason, "failures_in_row");
});

Deno.test("five failures of one delivery pause the batch", async () => {
  await using client = await createWebhookClient();
  const { tenant, batchId, sentIds } = await sendFirst(client, 5, 8);
  const statuses = sentIds.map((id) => toFailedStatus(id, 131026));
  await client.cloud(tenant, cloudPayload({ statuses }));
  assertEquals((await readBatch(client.stack, tenant, batchId)).status, "paused");
});

Deno.test("a delivery that is told after the failure moves the counts, and the batch stays paused", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const { tenant, batchId, sentIds: [messageId = ""] } = await sendFirst(client, 1, 3);
  await tellFailure(client, tenant, messageId, 132_015);
  const paused = await readBatch(stack, tenant, batchId);
  assertEquals([paused.status, paused.pauseReason, paused.counts.failed], [
    ...["paused", "template_refused", 1],
  ]);
  const { errors: _none, ...told } = toFailedStatus(messageId, 132_015);
  await client.cloud(tenant, cloudPayload({ statuses: [{ ...told, status: "delivered" }] }));
  const later = await readBatch(stack, tenant, batchId);
  assertEquals(
    [later.status, later.pauseReason, later.counts.failed, later.counts.delivered],
    ["paused", "template_refused", 0, 1],
  );
  assertEquals((await changeBatch(stack, tenant, batchId, "resume")).status, "running");
});
