/** What merging and erasing contacts does to lists, and canceling a message of one. */

import { assert, assertEquals } from "../../support/assert.ts";
import { callFunction, claimMessages, settleClaim } from "../../support/database/queue_calls.ts";
import { openSessions } from "../../support/database/sessions.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  greeting,
  listRecipients,
  readBatch,
  readRecipients,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Json = any;

/** Merges two contacts, as contacts-api does. */
async function merge(
  stack: MessagingStack,
  { instanceId }: Tenant,
  kept: string,
  gone: string,
): Promise<void> {
  await callFunction(stack.admin, "merge_contact", {
    ...{ instanceId, contactId: gone, intoContactId: kept, idempotency: null },
  });
}

/** Each recipient has one status, and the counts are of these. */
async function checkCounts(stack: MessagingStack, tenant: Tenant, batchId: string): Promise<void> {
  const { counts } = await readBatch(stack, tenant, batchId);
  const items = await readRecipients(stack, tenant, batchId);
  const told = Object.fromEntries(
    Object.keys(counts).map((status) => [
      status,
      items.filter((item) => item.status === status).length,
    ]),
  );
  assertEquals(counts, told);
}

/** The batch's first message is on its way, and the second waits behind it. */
async function startWithOneInFlight(
  stack: MessagingStack,
  tenant: Tenant,
): Promise<{ batchId: string; items: Json[]; claim: Json }> {
  const batchId = await createBatch(stack, tenant);
  await changeBatch(stack, tenant, batchId, "start");
  const [claim] = await claimMessages(stack.admin);
  assert(claim !== undefined);
  await callFunction(stack.admin, "feed_batches", { maxInstances: 10 });
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ status }) => status), ["queued", "queued", "pending"]);
  return { batchId, items, claim };
}

Deno.test("of two contacts of a list that turn out to be one person only one is written to", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant);
  await changeBatch(stack, tenant, batchId, "start");
  const [first, second] = await readRecipients(stack, tenant, batchId);
  await merge(stack, tenant, first.contactId, second.contactId);
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ contactId, status, reason }) => [contactId, status, reason]), [
    [first.contactId, "queued", null],
    [first.contactId, "skipped", "duplicate_contact"],
    [items[2].contactId, "pending", null],
  ]);
  await runBatches(stack, 3);
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals([batch.status, batch.counts.sent, batch.counts.skipped], ["finished", 2, 1]);
});

Deno.test("an erased person is written to no more, and nothing of the person stays in the list", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant, {
    recipients: listRecipients(3).map((one, place) => ({ ...one, cardId: `card-${place}` })),
  });
  await changeBatch(stack, tenant, batchId, "start");
  const [, second] = await readRecipients(stack, tenant, batchId);
  await stack.admin`select messaging.forget_recipients(array[${second.contactId}]::uuid[])`;
  const [row] = await stack.admin`
    select contact_id, phone, card_id, draft, message_id, status, reason
    from messaging.batch_recipients where batch_id = ${batchId} and index = 1`;
  assertEquals({ ...row }, {
    ...{ contact_id: null, phone: null, card_id: null, draft: null, message_id: null },
    ...{ status: "skipped", reason: "contact_erased" },
  });
  await runBatches(stack, 3);
  assertEquals(stack.provider.requests.map(({ json }) => (json as Json).message), [
    "Oi Pessoa 0: C0",
    "Oi Pessoa 2: C2",
  ]);
  assertEquals((await readBatch(stack, tenant, batchId)).status, "finished");
});

Deno.test("the counts of a batch add up while the erasure of a recipient waits for another message", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { batchId, items } = await startWithOneInFlight(stack, tenant);
  const { contactId } = items[1];
  await callFunction(stack.admin, "accept_message", {
    ...{ instanceId: tenant.instanceId, contactId, idempotency: null, assignment: null },
    message: { messageType: "text", message: "oi" },
    delivery: { queued: false, delaySeconds: 0, leaseSeconds: 30 },
  });
  const { status } = await callFunction<{ status: string }>(stack.admin, "erase_contact", {
    ...{ instanceId: tenant.instanceId, contactId, maxRows: 100, identityHashes: {} },
  });
  assertEquals(status, "pending");
  await checkCounts(stack, tenant, batchId);
  const { counts, recipientCount } = await readBatch(stack, tenant, batchId);
  assertEquals([recipientCount, counts.queued, counts.pending, counts.skipped], [3, 1, 1, 1]);
});

Deno.test("the id of an erased person is an error of its entry, and refuses no other one", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const [gone] = await readRecipients(stack, tenant, await createBatch(stack, tenant));
  await callFunction(stack.admin, "erase_contact", {
    ...{ instanceId: tenant.instanceId, contactId: gone.contactId },
    ...{ maxRows: 2_000, identityHashes: {} },
  });
  const recipients = [{ ...listRecipients(1)[0], phone: undefined, contactId: gone.contactId }];
  const body = { message: greeting, recipients: [...recipients, ...listRecipients(1, 5)] };
  const strict = await callBatches(stack, tenant, "POST", "/batches", body);
  assertEquals([strict.status, strict.body.error], [400, "invalid_request"]);
  assertEquals(strict.body.errors.map(({ index }: Json) => index), [0]);
  const permissive = await callBatches(stack, tenant, "POST", "/batches", {
    ...body,
    validation: "permissive",
  });
  assertEquals([permissive.status, permissive.body.added], [201, 1]);
  const dryRun = await callBatches(stack, tenant, "POST", "/batches", { ...body, dryRun: true });
  assertEquals(dryRun.body.items.map(({ outcome }: Json) => outcome), ["skip", "send"]);
});

Deno.test("a message that is on its way when its batch is canceled keeps its outcome", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { batchId, items: [first], claim } = await startWithOneInFlight(stack, tenant);
  const canceled = await changeBatch(stack, tenant, batchId, "cancel");
  assertEquals([canceled.counts.queued, canceled.counts.canceled], [1, 2]);
  await settleClaim(stack.admin, claim);
  const message = await stack.messages(tenant, "GET", `/messages/${first.messageId}`);
  assertEquals(message.body.status, "sent");
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ status }) => status), ["sent", "canceled", "canceled"]);
  await checkCounts(stack, tenant, batchId);
});

Deno.test("retry-failed leaves to its worker what has failed while it is in hand", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { batchId, items: [first], claim } = await startWithOneInFlight(stack, tenant);
  await stack.admin`
    select messaging.advance_message(
      ${first.messageId}, 'P1', 'failed', now(), '{"code": "no", "message": "No."}'
    )`;
  await changeBatch(stack, tenant, batchId, "retry-failed");
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ status }) => status), ["failed", "queued", "pending"]);
  await settleClaim(stack.admin, claim, { outcome: "accepted", providerMessageId: "P2" });
  const { counts } = await readBatch(stack, tenant, batchId);
  assertEquals([counts.sent, counts.failed], [1, 0]);
  await checkCounts(stack, tenant, batchId);
});

Deno.test("a message of a paused batch can be canceled, and is not sent when the batch goes on", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant);
  await changeBatch(stack, tenant, batchId, "start");
  const [first] = await readRecipients(stack, tenant, batchId);
  await changeBatch(stack, tenant, batchId, "pause");
  const canceled = await stack.messages(tenant, "DELETE", `/messages/${first.messageId}`);
  assertEquals([canceled.status, canceled.body.status], [200, "canceled"]);
  const paused = await readRecipients(stack, tenant, batchId);
  assertEquals(paused.map(({ status }) => status), ["canceled", "pending", "pending"]);
  await checkCounts(stack, tenant, batchId);
  await changeBatch(stack, tenant, batchId, "resume");
  await runBatches(stack, 3);
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ status }) => status), ["canceled", "sent", "sent"]);
});

Deno.test("a message of a paused batch is expired when its time is over", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const batchId = await createBatch(stack, tenant, { expiresAt });
  await changeBatch(stack, tenant, batchId, "start");
  const [first] = await readRecipients(stack, tenant, batchId);
  await changeBatch(stack, tenant, batchId, "pause");
  await letTimePass(stack.admin, 3_601);
  await callFunction(stack.admin, "expire_messages", { maxMessages: 10 });
  const message = await stack.messages(tenant, "GET", `/messages/${first.messageId}`);
  assertEquals(message.body.status, "expired");
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ status }) => status), ["expired", "expired", "expired"]);
  await checkCounts(stack, tenant, batchId);
  const again = await callFunction(stack.admin, "expire_messages", { maxMessages: 10 });
  assertEquals(again, { expired: 0 });
  const resumed = await changeBatch(stack, tenant, batchId, "resume");
  assertEquals([resumed.status, resumed.counts.expired], ["finished", 3]);
});

for (const survivor of ["first", "second"] as const) {
  Deno.test(`of two messages of a batch that wait for one person the later is not sent, where the ${survivor} contact survives`, async () => {
    await using stack = await startMessagingStack();
    const tenant = await stack.createTenant();
    const { batchId, items: [first, second], claim } = await startWithOneInFlight(stack, tenant);
    const [kept, gone] = survivor === "first" ? [first, second] : [second, first];
    await merge(stack, tenant, kept.contactId, gone.contactId);
    const items = await readRecipients(stack, tenant, batchId);
    assertEquals(items.map(({ contactId, status, reason }) => [contactId, status, reason]), [
      [kept.contactId, "queued", null],
      [kept.contactId, "skipped", "duplicate_contact"],
      [items[2].contactId, "pending", null],
    ]);
    const withdrawn = await stack.messages(tenant, "GET", `/messages/${second.messageId}`);
    assertEquals(withdrawn.body.status, "canceled");
    await checkCounts(stack, tenant, batchId);
    await settleClaim(stack.admin, claim);
    await letTimePass(stack.admin, 31);
    await runBatches(stack, 2);
    assertEquals(stack.provider.requests.map(({ json }) => (json as Json).message), [
      "Oi Pessoa 2: C2",
    ]);
    const batch = await readBatch(stack, tenant, batchId);
    assertEquals([batch.status, batch.counts.sent, batch.counts.skipped], ["finished", 2, 1]);
    await checkCounts(stack, tenant, batchId);
  });
}

Deno.test("of two messages of a batch for one person the one that is on its way stays, though it comes later in the list", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { batchId, items: [first, second], claim } = await startWithOneInFlight(stack, tenant);
  await settleClaim(stack.admin, claim, {
    outcome: "rejected",
    error: { code: "no", message: "No." },
  });
  await letTimePass(stack.admin, 31);
  const [later] = await claimMessages(stack.admin);
  assertEquals(later?.messageId, second.messageId);
  await changeBatch(stack, tenant, batchId, "retry-failed");
  const waiting = await readRecipients(stack, tenant, batchId);
  assertEquals(waiting.map(({ status }) => status), ["queued", "queued", "pending"]);
  await merge(stack, tenant, first.contactId, second.contactId);
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ status, reason }) => [status, reason]), [
    ["skipped", "duplicate_contact"],
    ["queued", null],
    ["pending", null],
  ]);
  if (later !== undefined) await settleClaim(stack.admin, later);
  await letTimePass(stack.admin, 31);
  await runBatches(stack, 2);
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals([batch.status, batch.counts.sent, batch.counts.skipped], ["finished", 2, 1]);
  await checkCounts(stack, tenant, batchId);
});

Deno.test("a merge waits for no claim: a message that is just being taken leaves, also to a person who has had one before", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { batchId, items: [first, second], claim } = await startWithOneInFlight(stack, tenant);
  await settleClaim(stack.admin, claim);
  await letTimePass(stack.admin, 31);
  const { one } = await openSessions(stack.testDatabase);
  await one.unsafe("begin");
  const [taken] = await claimMessages(one);
  assertEquals(taken?.messageId, second.messageId);
  await merge(stack, tenant, first.contactId, second.contactId);
  await one.unsafe("commit");
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ status }) => status), ["sent", "queued", "pending"]);
  if (taken !== undefined) await settleClaim(stack.admin, taken);
  await letTimePass(stack.admin, 31);
  await runBatches(stack, 1);
  assertEquals((await readBatch(stack, tenant, batchId)).status, "finished");
  await checkCounts(stack, tenant, batchId);
});

Deno.test("a batch goes on past a person who was blocked while it was paused, and finishes", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant);
  await changeBatch(stack, tenant, batchId, "start");
  const [first] = await readRecipients(stack, tenant, batchId);
  await changeBatch(stack, tenant, batchId, "pause");
  await stack.admin`
    update messaging.contacts set is_blocked = true where id = ${first.contactId}`;
  await changeBatch(stack, tenant, batchId, "resume");
  const skipped = await stack.messages(tenant, "GET", `/messages/${first.messageId}`);
  assertEquals(skipped.body.status, "canceled");
  await checkCounts(stack, tenant, batchId);
  await runBatches(stack, 2);
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ status, reason }) => [status, reason]), [
    ["skipped", "blocked"],
    ["sent", null],
    ["sent", null],
  ]);
  assertEquals((await readBatch(stack, tenant, batchId)).status, "finished");
  await checkCounts(stack, tenant, batchId);
});
