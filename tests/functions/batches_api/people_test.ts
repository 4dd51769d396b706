/** What merging and erasing contacts does to lists, and canceling a message of one. */

import { assertEquals } from "../../support/assert.ts";
import {
  changeBatch,
  createBatch,
  readBatch,
  readRecipients,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Json = any;

Deno.test("of two contacts of a list that turn out to be one person only one is written to", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant);
  await changeBatch(stack, tenant, batchId, "start");
  const [first, second] = await readRecipients(stack, tenant, batchId);
  await stack.admin`
    select messaging.merge_contacts(k, g) from messaging.contacts k, messaging.contacts g
    where k.id = ${first.contactId} and g.id = ${second.contactId}`;
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
  const batchId = await createBatch(stack, tenant);
  await changeBatch(stack, tenant, batchId, "start");
  const [, second] = await readRecipients(stack, tenant, batchId);
  await stack.admin`select messaging.forget_recipients(array[${second.contactId}]::uuid[])`;
  const [row] = await stack.admin`
    select contact_id, phone, draft, message_id, status, reason from messaging.batch_recipients
    where batch_id = ${batchId} and index = 1`;
  assertEquals({ ...row }, {
    ...{ contact_id: null, phone: null, draft: null, message_id: null },
    ...{ status: "skipped", reason: "contact_erased" },
  });
  await runBatches(stack, 3);
  assertEquals(stack.provider.requests.map(({ json }) => (json as Json).message), [
    "Oi Pessoa 0: C0",
    "Oi Pessoa 2: C2",
  ]);
  assertEquals((await readBatch(stack, tenant, batchId)).status, "finished");
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
  await changeBatch(stack, tenant, batchId, "resume");
  await runBatches(stack, 3);
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ status }) => status), ["canceled", "sent", "sent"]);
});
