/** A batch's next slot holds up nobody who could leave before it. */

import { assert, assertEquals } from "../../support/assert.ts";
import { passHourEnd } from "../../support/clock_edges.ts";
import {
  changeBatch,
  createBatch,
  listRecipients,
  phoneOf,
  readBatch,
  readRecipients,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import { makeKnown, protect } from "../../support/fixtures/protected_tenant.ts";
import { findLastHourZone, findMiddayZone } from "../../support/midday_zone.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Json = any;

const everyDay = [1, 2, 3, 4, 5, 6, 7];

const statusesOf = async (stack: MessagingStack, tenant: Tenant, id: string): Promise<string[]> =>
  (await readRecipients(stack, tenant, id)).map(({ status }) => status);

/** Runs dispatchers until the provider has got so many messages, without letting time pass. */
async function dispatchUntil(stack: MessagingStack, messages: number): Promise<void> {
  await waitUntil(async () => {
    await stack.dispatch({ durationMs: 40 });
    return stack.provider.requests.length >= messages;
  });
}

/** A tenant where it is noon, and a window that closes a quarter of an hour from now. */
function createClosingTenant(stack: MessagingStack): Promise<Tenant> {
  const now = new Date();
  const closesAt = 12 * 60 + now.getUTCMinutes() + 15;
  const end = `${Math.floor(closesAt / 60)}:${String(closesAt % 60).padStart(2, "0")}`;
  return stack.createTenant({
    timeZone: findMiddayZone(now),
    window: { start: "00:00", end, days: everyDay },
  });
}

Deno.test("a single send leaves today though the batch's next slot lies in tomorrow's window", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createClosingTenant(stack);
  const batchId = await createBatch(stack, tenant, { intervalSeconds: 3_600 });
  await changeBatch(stack, tenant, batchId, "start");
  await dispatchUntil(stack, 1);
  const [, next] = await readRecipients(stack, tenant, batchId);
  assert(Date.parse(next.scheduledFor) > Date.now() + 3_600_000, next.scheduledFor);
  const single = await stack.send(tenant, {
    ...{ phone: "5511900000000", messageType: "text", message: "single" },
    ...{ queued: true, intervalSeconds: 10 },
  });
  const wait = Date.parse(single.body.scheduledFor) - Date.now();
  assert(wait <= 10_000, `${wait} ms`);
  assertEquals((await readBatch(stack, tenant, batchId)).status, "running");
});

Deno.test("a single send leaves today though the batch's next slot has passed over tomorrow, a holiday", async () => {
  await using stack = await startMessagingStack();
  // An hour later is tomorrow.
  await passHourEnd();
  const { timeZone, tomorrow } = findLastHourZone();
  const tenant = await stack.createTenant({ timeZone, holidays: [tomorrow] });
  const batchId = await createBatch(stack, tenant, { intervalSeconds: 3_600 });
  await changeBatch(stack, tenant, batchId, "start");
  await dispatchUntil(stack, 1);
  await stack.database.rpc("feed_batches", { maxInstances: 10 });
  const [, next] = await readRecipients(stack, tenant, batchId);
  assertEquals(next.status, "pending");
  assert(Date.parse(next.scheduledFor) > Date.now() + 86_300_000, next.scheduledFor);
  const single = await stack.send(tenant, {
    ...{ phone: "5511900000000", messageType: "text", message: "single" },
    ...{ queued: true, intervalSeconds: 10 },
  });
  const wait = Date.parse(single.body.scheduledFor) - Date.now();
  assert(wait <= 10_000, `${wait} ms`);
});

Deno.test("known contacts of a batch pass its new ones that wait for another day, as the dry run says", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ timeZone: findMiddayZone() });
  await protect(stack.admin, tenant.instanceId, { newContactsPerDay: 1 });
  const batchId = await createBatch(stack, tenant, { recipients: listRecipients(5) });
  for (const index of [2, 4]) await makeKnown(stack.admin, tenant.instanceId, phoneOf(index));
  await changeBatch(stack, tenant, batchId, "start");
  await runBatches(stack, 3);
  await dispatchUntil(stack, 3);
  await waitUntil(async () => {
    await stack.dispatch({ durationMs: 40 });
    return (await statusesOf(stack, tenant, batchId)).includes("queued");
  });
  const items = await readRecipients(stack, tenant, batchId);
  assertEquals(items.map(({ status }) => status), ["sent", "queued", "sent", "pending", "sent"]);
  const [first, second] = [items[1], items[3]].map(({ scheduledFor }) => Date.parse(scheduledFor));
  assert(second! - first! > 3_600_000 * 20, "each new contact has a day of its own");
  const { body } = await stack.messages(tenant, "GET", `/queue?instanceId=${tenant.instanceId}`);
  assertEquals(body.items.map(({ heldBy }: Json) => heldBy), ["new_contacts"]);
  assertEquals((await readBatch(stack, tenant, batchId)).status, "running");
});

Deno.test("the queue says that a batch waits for the day's limit, or for a window that is closed", async () => {
  await using stack = await startMessagingStack();
  const limited = await stack.createTenant({ timeZone: findMiddayZone() });
  await protect(stack.admin, limited.instanceId, { dailyLimit: 1 });
  const closed = await stack.createTenant({
    timeZone: findMiddayZone(),
    window: { start: "08:00", end: "09:00", days: everyDay },
  });
  const expected = [[limited, "daily_limit"], [closed, "window"]] as const;
  for (const [tenant] of expected) {
    await changeBatch(stack, tenant, await createBatch(stack, tenant), "start");
  }
  await dispatchUntil(stack, 1);
  for (const [tenant, heldBy] of expected) {
    const path = `/queue?instanceId=${tenant.instanceId}`;
    const readHeldBy = async (): Promise<string[]> => {
      const { body } = await stack.messages(tenant, "GET", path);
      return body.items.map((item: Json) => item.heldBy);
    };
    await waitUntil(async () => (await readHeldBy()).join() === heldBy);
  }
});

Deno.test("a new contact that has lost its place of today holds up no known one of the batch", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ timeZone: findMiddayZone() });
  await protect(stack.admin, tenant.instanceId, { newContactsPerDay: 2 });
  const batchId = await createBatch(stack, tenant, { recipients: listRecipients(3) });
  await makeKnown(stack.admin, tenant.instanceId, phoneOf(2));
  await changeBatch(stack, tenant, batchId, "start");
  await dispatchUntil(stack, 1);
  const isWaiting = async () =>
    (await statusesOf(stack, tenant, batchId)).join() === "sent,queued,pending";
  await waitUntil(isWaiting);
  // An immediate send to a new contact takes the place that the waiting one was promised.
  const immediate = { phone: "5511900000000", messageType: "text", message: "now" };
  assertEquals((await stack.send(tenant, immediate)).status, 200);
  await runBatches(stack, 2);
  await dispatchUntil(stack, 3);
  assertEquals(await statusesOf(stack, tenant, batchId), ["sent", "queued", "sent"]);
});

Deno.test("the search for a known contact goes on behind thousands of new ones", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ timeZone: findMiddayZone() });
  await protect(stack.admin, tenant.instanceId, { newContactsPerDay: 1 });
  const batchId = await createBatch(stack, tenant, { recipients: [] });
  await stack.admin`
    with people as (
      insert into messaging.contacts (instance_id, phone, identity_key, origin)
      select ${tenant.instanceId}, '55119' || (70000000 + i), '55119' || (70000000 + i), 'api'
      from generate_series(0, 4200) as i
      returning id, phone
    )
    insert into messaging.batch_recipients (batch_id, index, contact_id, phone, draft)
    select ${batchId}, right(p.phone, 8)::integer - 70000000, p.id, p.phone,
      '{"messageType": "text", "message": "Oi"}'
    from people p`;
  await stack.admin`
    update messaging.batches set recipient_count = 4201, pending_count = 4201
    where id = ${batchId}`;
  await makeKnown(stack.admin, tenant.instanceId, "5511970004200");
  await changeBatch(stack, tenant, batchId, "start");
  await dispatchUntil(stack, 1);
  await runBatches(stack, 1);
  await dispatchUntil(stack, 2);
  const sent = await readRecipients(stack, tenant, batchId, { status: "sent" });
  assertEquals(sent.map(({ index }) => index), [0, 4200]);
});
