import { assert, assertEquals } from "../../support/assert.ts";
import { callFunction, claimMessages, settleClaim } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  greeting,
  listRecipients,
  phoneOf,
  readBatch,
  readRecipients,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Json = any;

const textsOf = (stack: MessagingStack): string[] =>
  stack.provider.requests.map(({ json }) => (json as Json).message);

const statusesOf = async (stack: MessagingStack, tenant: Tenant, id: string): Promise<string[]> =>
  (await readRecipients(stack, tenant, id)).map(({ status }) => status);

Deno.test("a started batch sends one message an interval, in order, and finishes with an event", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant);
  const started = await changeBatch(stack, tenant, batchId, "start");
  assertEquals([started.status, started.counts.queued, started.counts.pending], ["running", 1, 2]);
  const planned: Json = (await readRecipients(stack, tenant, batchId)).map((item) =>
    Date.parse(item.scheduledFor)
  );
  assertEquals([planned[1] - planned[0], planned[2] - planned[1]], [30_000, 30_000]);
  assertEquals(Date.parse(started.lastScheduledFor), planned[2]);
  await runBatches(stack, 3);
  assertEquals(textsOf(stack), ["Oi Pessoa 0: C0", "Oi Pessoa 1: C1", "Oi Pessoa 2: C2"]);
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals([batch.status, batch.counts.sent, batch.counts.pending], ["finished", 3, 0]);
  assert(batch.finishedAt !== null);
  const [event] = await stack.admin`
    select data from messaging.events where type = 'batch.finished'`;
  assertEquals([event?.["data"].batchId, event?.["data"].counts.sent], [batchId, 3]);
  const list = await stack.messages(tenant, "GET", `/messages?batchId=${batchId}`);
  assertEquals(list.body.items.map((item: Json) => item.batchId), Array(3).fill(batchId));
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(
    items.map(({ messageId }) => messageId),
    list.body.items.map((m: Json) => m.messageId),
  );
});

Deno.test("an instance has one message of its batches waiting, and a single send leaves next", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const ids = [];
  for (const first of [0, 10]) {
    ids.push(await createBatch(stack, tenant, { recipients: listRecipients(3, first) }));
  }
  for (const id of ids) await changeBatch(stack, tenant, id, "start");
  await stack.dispatch({ durationMs: 40 });
  const queue = await stack.messages(tenant, "GET", `/queue?instanceId=${tenant.instanceId}`);
  assertEquals(queue.body.total, 1);
  const single = await stack.send(tenant, {
    ...{ phone: "5511900000000", messageType: "text", message: "single", queued: true },
  });
  const wait = Date.parse(single.body.scheduledFor) - Date.parse(queue.body.items[0].scheduledFor);
  // A late departure moves the waiting one, and not the slots behind it.
  assert(wait > 15_000 && wait <= 30_000, `${wait} ms`);
  await runBatches(stack, 7);
  assertEquals(textsOf(stack), [
    "Oi Pessoa 0: C0",
    "Oi Pessoa 10: C10",
    "single",
    "Oi Pessoa 1: C1",
    "Oi Pessoa 11: C11",
    "Oi Pessoa 2: C2",
    "Oi Pessoa 12: C12",
  ]);
});

Deno.test("a pause gives the slot back, and a resumed batch goes on where it was", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant);
  await changeBatch(stack, tenant, batchId, "start");
  await stack.dispatch({ durationMs: 40 });
  const [, waiting] = await readRecipients(stack, tenant, batchId);
  const paused = await changeBatch(stack, tenant, batchId, "pause");
  assertEquals([paused.status, paused.counts.sent, paused.counts.pending], ["paused", 1, 2]);
  const queue = await stack.messages(tenant, "GET", `/queue?instanceId=${tenant.instanceId}`);
  assertEquals(queue.body.total, 0);
  const single = await stack.send(tenant, {
    ...{ phone: "5511900000000", messageType: "text", message: "single", queued: true },
  });
  const behind = Date.parse(single.body.scheduledFor) - Date.parse(waiting.scheduledFor);
  assert(behind < 15_000, `${behind} ms behind the slot that was given back`);
  await runBatches(stack, 2);
  assertEquals(textsOf(stack), ["Oi Pessoa 0: C0", "single"]);
  assertEquals(await statusesOf(stack, tenant, batchId), ["sent", "pending", "pending"]);
  await changeBatch(stack, tenant, batchId, "resume");
  await runBatches(stack, 3);
  assertEquals(textsOf(stack).slice(2), ["Oi Pessoa 1: C1", "Oi Pessoa 2: C2"]);
  const [, resumed] = await readRecipients(stack, tenant, batchId);
  assertEquals([resumed.messageId, resumed.status], [waiting.messageId, "sent"]);
  assertEquals((await readBatch(stack, tenant, batchId)).status, "finished");
});

Deno.test("a canceled batch sends nothing more", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const [batchId, pausedId] = [await createBatch(stack, tenant), await createBatch(stack, tenant)];
  await changeBatch(stack, tenant, batchId, "start");
  await stack.dispatch({ durationMs: 40 });
  const canceled = await changeBatch(stack, tenant, batchId, "cancel");
  assertEquals([canceled.status, canceled.counts.sent, canceled.counts.canceled], [
    "canceled",
    1,
    2,
  ]);
  assertEquals(await statusesOf(stack, tenant, batchId), ["sent", "canceled", "canceled"]);
  await changeBatch(stack, tenant, pausedId, "start");
  await changeBatch(stack, tenant, pausedId, "pause");
  const gone = await changeBatch(stack, tenant, pausedId, "cancel");
  assertEquals([gone.counts.canceled, gone.counts.queued], [3, 0]);
  await runBatches(stack, 2);
  assertEquals(textsOf(stack).length, 1);
});

Deno.test("another state's call is batch_state, and names the state", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant);
  const refuse = async (state: string, ...actions: string[]): Promise<void> => {
    for (const action of actions) {
      const { status, body } = await callBatches(
        stack,
        tenant,
        "POST",
        `/batches/${batchId}/${action}`,
      );
      assertEquals([status, body.error], [409, "batch_state"], action);
      assertEquals(
        body.message,
        `The batch is ${state}. This call needs a batch of another status.`,
      );
    }
  };
  await refuse("draft", "pause", "resume", "retry-failed");
  await changeBatch(stack, tenant, batchId, "start");
  await refuse("running", "start", "resume", "dry-run");
  const added = await callBatches(stack, tenant, "POST", `/batches/${batchId}/recipients`, {
    recipients: listRecipients(1, 20),
  });
  assertEquals([added.status, added.body.error], [409, "batch_state"]);
  assertEquals(added.body.message.split(".")[0], "The batch is running");
  await changeBatch(stack, tenant, batchId, "pause");
  await refuse("paused", "start", "pause", "dry-run");
  await changeBatch(stack, tenant, batchId, "cancel");
  await refuse("canceled", "start", "pause", "resume", "cancel", "retry-failed", "dry-run");
  const unknown = await callBatches(stack, tenant, "POST", `/batches/${crypto.randomUUID()}/start`);
  assertEquals([unknown.status, unknown.body.error], [404, "batch_not_found"]);
});

Deno.test("recipients have the list's card and phone, and the instants of their messages", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const listed = {
    phone: "551188887777",
    variables: { nome: "Ana", cupom: "C" },
    cardId: "card-1",
  };
  const batchId = await createBatch(stack, tenant, {
    recipients: [listed, { ...listed, phone: "5511988887777", cardId: "card-2" }],
  });
  const keys = ["phone", "status", "cardId", "sentAt", "deliveredAt", "readAt"];
  const read = async (): Promise<unknown[][]> =>
    (await readRecipients(stack, tenant, batchId)).map((item) => keys.map((key) => item[key]));
  const second = ["5511988887777", "skipped", "card-2", null, null, null];
  assertEquals(await read(), [["551188887777", "pending", "card-1", null, null, null], second]);
  await changeBatch(stack, tenant, batchId, "start");
  await runBatches(stack, 1);
  const [{ messageId }] = await readRecipients(stack, tenant, batchId);
  await stack.admin`
    update messaging.messages
    set status = 'read', delivered_at = sent_at + interval '1 s', read_at = sent_at + interval '2 s'
    where id = ${messageId}`;
  const { body } = await stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals(await read(), [
    ["551188887777", "read", "card-1", body.sentAt, body.deliveredAt, body.readAt],
    second,
  ]);
  assertEquals(Date.parse(body.readAt) - Date.parse(body.sentAt), 2_000);
});

Deno.test("retry-failed tries what has failed, and never what is unconfirmed", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant);
  await changeBatch(stack, tenant, batchId, "start");
  stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  await runBatches(stack, 1);
  stack.provider.answer = () => new Response("", { status: 500 });
  await runBatches(stack, 2);
  assertEquals(await statusesOf(stack, tenant, batchId), ["failed", "failed", "unconfirmed"]);
  const before = await readRecipients(stack, tenant, batchId);
  assertEquals((await readBatch(stack, tenant, batchId)).status, "finished");
  stack.provider.answer = () => Response.json({ messageId: crypto.randomUUID() });
  const retried = await changeBatch(stack, tenant, batchId, "retry-failed");
  assertEquals(retried.status, "running");
  await runBatches(stack, 3);
  assertEquals(await statusesOf(stack, tenant, batchId), ["sent", "sent", "unconfirmed"]);
  const after = await readRecipients(stack, tenant, batchId);
  assertEquals(after.map(({ messageId }) => messageId), before.map(({ messageId }) => messageId));
  assertEquals((await readBatch(stack, tenant, batchId)).status, "finished");
});

Deno.test("a finished batch runs again where something has failed, and stays finished where nothing has", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant, { recipients: listRecipients(1) });
  stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  await changeBatch(stack, tenant, batchId, "start");
  await runBatches(stack, 1);
  assertEquals((await readBatch(stack, tenant, batchId)).status, "finished");
  const again = await changeBatch(stack, tenant, batchId, "retry-failed");
  assertEquals([again.status, again.finishedAt], ["running", null]);
  stack.provider.answer = () => Response.json({ messageId: crypto.randomUUID() });
  await runBatches(stack, 1);
  const { finishedAt } = await readBatch(stack, tenant, batchId);
  const nothing = await changeBatch(stack, tenant, batchId, "retry-failed");
  assertEquals([nothing.status, nothing.finishedAt], ["finished", finishedAt]);
  assert(finishedAt !== null);
});

Deno.test("who may not be written to when the turn comes is skipped, with the reason", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant, {
    purpose: "marketing",
    recipients: listRecipients(4),
  });
  await changeBatch(stack, tenant, batchId, "start");
  await stack.admin`
    update messaging.contacts set is_blocked = true where phone = ${phoneOf(1)}`;
  await stack.admin`
    update messaging.contacts set consent_marketing = 'denied' where phone = ${phoneOf(2)}`;
  const forecast = await readRecipients(stack, tenant, batchId);
  assertEquals(forecast.map(({ status, reason }) => [status, reason]), [
    ["queued", null],
    ["pending", "blocked"],
    ["pending", "opted_out"],
    ["pending", null],
  ]);
  await runBatches(stack, 3);
  assertEquals(textsOf(stack), ["Oi Pessoa 0: C0", "Oi Pessoa 3: C3"]);
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ status, reason }) => [status, reason]), [
    ["sent", null],
    ["skipped", "blocked"],
    ["skipped", "opted_out"],
    ["sent", null],
  ]);
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals([batch.status, batch.counts.skipped, batch.counts.sent], ["finished", 2, 2]);
});

Deno.test("a start skips at once whom it may not write to, as the dry run says", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant, {
    purpose: "marketing",
    recipients: listRecipients(5),
  });
  await stack.admin`
    update messaging.contacts set is_blocked = true where phone = ${phoneOf(1)}`;
  await stack.admin`
    update messaging.contacts set consent_marketing = 'denied'
    where phone in (${phoneOf(2)}, ${phoneOf(4)})`;
  const dryRun = await callBatches(stack, tenant, "POST", `/batches/${batchId}/dry-run`);
  const expected = [null, "blocked", "opted_out", null, "opted_out"];
  assertEquals(dryRun.body.items.map(({ reason }: Json) => reason), expected);
  const started = await changeBatch(stack, tenant, batchId, "start");
  assertEquals([started.counts.skipped, started.counts.pending, started.counts.queued], [3, 1, 1]);
  const skipped = await readRecipients(stack, tenant, batchId, { status: "skipped" });
  assertEquals(skipped.map(({ index, reason }) => [index, reason]), [
    [1, "blocked"],
    [2, "opted_out"],
    [4, "opted_out"],
  ]);
});

Deno.test("while the connection is lost no recipient is told a slot, as no message is", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant);
  await changeBatch(stack, tenant, batchId, "start");
  await stack.admin`
    update messaging.dispatch set disconnected_until = 'infinity'
    where instance_id = ${tenant.instanceId}`;
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ status, scheduledFor }) => [status, scheduledFor]), [
    ["queued", null],
    ["pending", null],
    ["pending", null],
  ]);
  const message = await stack.messages(tenant, "GET", `/messages/${items[0].messageId}`);
  assertEquals([message.body.heldBy, message.body.scheduledFor], ["disconnected", null]);
});

Deno.test("no slot lies before startAt, and until then the queue belongs to the others", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const startAt = new Date(Date.now() + 3_600_000).toISOString();
  const batchId = await createBatch(stack, tenant, { startAt });
  const started = await changeBatch(stack, tenant, batchId, "start");
  assertEquals(Date.parse(started.firstScheduledFor), Date.parse(startAt));
  assertEquals([Date.parse(started.startAt), started.expiresAt], [Date.parse(startAt), null]);
  assert(Math.abs(Date.parse(started.startedAt) - Date.now()) < 60_000, started.startedAt);
  const single = await stack.send(tenant, {
    ...{ phone: "5511900000000", messageType: "text", message: "single", queued: true },
  });
  assert(Date.parse(single.body.scheduledFor) < Date.parse(startAt) - 3_000_000);
  await runBatches(stack, 1);
  assertEquals(textsOf(stack), ["single"]);
  await letTimePass(stack.admin, 3_600);
  await runBatches(stack, 3);
  assertEquals(textsOf(stack).length, 4);
});

Deno.test("what has not left by expiresAt reads as expired, and the batch is finished", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const expiresAt = new Date(Date.now() + 45_000).toISOString();
  const batchId = await createBatch(stack, tenant, { expiresAt, recipients: listRecipients(4) });
  await changeBatch(stack, tenant, batchId, "start");
  const forecast = await readRecipients(stack, tenant, batchId);
  assertEquals(forecast.map(({ reason }) => reason), [
    null,
    null,
    "expires_before_slot",
    "expires_before_slot",
  ]);
  await runBatches(stack, 3);
  assertEquals(await statusesOf(stack, tenant, batchId), ["sent", "sent", "expired", "expired"]);
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals([batch.status, batch.counts.expired], ["finished", 2]);
  assert(Date.parse(batch.expiresAt) < Date.now(), batch.expiresAt);
});

Deno.test("a message that is tried again later holds up no other one of its batch", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant);
  await changeBatch(stack, tenant, batchId, "start");
  const [claim] = await claimMessages(stack.admin);
  assert(claim !== undefined);
  assertEquals(await statusesOf(stack, tenant, batchId), ["queued", "pending", "pending"]);
  await settleClaim(stack.admin, claim, {
    ...{ outcome: "rejected", retryable: true, retryAfterMs: 3_600_000 },
    error: { code: "busy", message: "Busy." },
  });
  await callFunction(stack.admin, "feed_batches", { maxInstances: 10 });
  assertEquals(await statusesOf(stack, tenant, batchId), ["queued", "queued", "pending"]);
});

Deno.test("a batch does not pause the agent", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.admin`
    insert into messaging.ai_agents (instance_id, name, instructions, model)
    values (${tenant.instanceId}, 'Lia', 'Responda.', 'gpt')`;
  const batchId = await createBatch(stack, tenant, { message: greeting });
  await changeBatch(stack, tenant, batchId, "start");
  await runBatches(stack, 1);
  const pauses = await stack.admin`select from messaging.agent_pauses`;
  assertEquals([textsOf(stack).length > 0, pauses.length], [true, 0]);
});
