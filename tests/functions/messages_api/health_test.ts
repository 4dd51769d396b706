import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import {
  type Answer,
  type MessagingStack,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { sendPaced } from "../../support/fixtures/queue_slots.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };
const queued = { ...text, queued: true, intervalSeconds: 60 };

const nothing = {
  success: true,
  status: "ok",
  oldestDueAt: null,
  oldestDueSeconds: null,
  nextDueAt: null,
  queueDepth: 0,
  inFlight: 0,
  unconfirmed: 0,
  isWindowOpen: true,
  heldBy: null,
  ...{ holdReason: null, holdCode: null, heldUntil: null },
  connection: { state: "unknown", since: null, until: null, reason: null },
  webhooks: { state: "unknown", url: null },
  channelLimit: null,
  allowance: { messagesPerSecond: null, source: null, newChats: null, timeLock: null },
  pace: null,
  budget: null,
  protection: null,
  lastSuccessAt: null,
  lastFailure: null,
};

Deno.test("GET health of an instance that has sent nothing is ok and empty", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { status, body } = await readHealth(stack, tenant);
  assertEquals([status, body], [200, { ...nothing, instanceId: tenant.instanceId }]);
});

Deno.test("health tells a late queue by the age of its oldest message, and its depth", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const neighbour = await stack.createTenant();
  // Delayed, because a queued message that is due at once is dispatched in the background.
  for (let index = 0; index < 3; index++) {
    await sendPaced(stack, tenant, { ...queued, delayMessage: 30 });
  }
  const early = (await readHealth(stack, tenant)).body;
  assertEquals([early.status, early.oldestDueAt, early.queueDepth], ["ok", null, 3]);
  assertMatch(early.nextDueAt, /T.*Z$/);
  await letTimePass(stack.admin, 31);
  assertEquals((await readHealth(stack, tenant)).body.status, "ok", "due, and not late yet");
  await letTimePass(stack.admin, 300);
  const late = (await readHealth(stack, tenant)).body;
  assertEquals([late.status, late.oldestDueAt], ["late", late.nextDueAt]);
  assert(late.oldestDueSeconds >= 299 && late.oldestDueSeconds < 420, `${late.oldestDueSeconds}`);
  assertEquals((await readHealth(stack, neighbour)).body.queueDepth, 0, "not the neighbour's");
  await stack.dispatch();
  const after = (await readHealth(stack, tenant)).body;
  assertEquals([after.queueDepth, after.inFlight], [2, 0]);
  assertMatch(after.lastSuccessAt, /T.*Z$/);
});

Deno.test("health reports a delayed message that no dispatcher sends", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await sendPaced(stack, tenant, { ...text, delayMessage: 10 });
  await letTimePass(stack.admin, 100);
  const { body } = await readHealth(stack, tenant);
  assertEquals([body.status, body.nextDueAt, body.queueDepth], ["late", null, 1]);
});

Deno.test("health reports a message claimed by a worker that died, before any other looks", async () => {
  await using stack = await startMessagingStack();
  for (const delivery of [{ queued: true, delayMessage: 10 }, { delayMessage: 10 }]) {
    const tenant = await stack.createTenant();
    await sendPaced(stack, tenant, { ...text, ...delivery });
    await letTimePass(stack.admin, 11);
    await stack.database.rpc("claim_due_messages", { maxMessages: 1, leaseSeconds: 30 });
    assertEquals((await readHealth(stack, tenant)).body.status, "ok");
    await letTimePass(stack.admin, 1_000);
    const { body } = await readHealth(stack, tenant);
    assertEquals([body.status, body.inFlight], ["late", 1]);
    // Since the lease is over, which lasts 30 s.
    assert(body.oldestDueSeconds >= 969 && body.oldestDueSeconds < 999, body.oldestDueSeconds);
  }
});

Deno.test("what waits for its window is not late", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await sendPaced(stack, tenant, { ...queued, delayMessage: 10 });
  await stack.admin`
    update messaging.instances set window_days = array[(extract(isodow from now() at time zone time_zone)::int + 2) % 7 + 1]::smallint[]
    where id = ${tenant.instanceId}`;
  await letTimePass(stack.admin, 3_600);
  const { body } = await readHealth(stack, tenant);
  assertEquals([body.status, body.isWindowOpen, body.oldestDueAt], ["ok", false, null]);
});

Deno.test("health names the last failure by the provider's code, and counts what is unconfirmed", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = () => Response.json({ error: "Phone invalid" }, { status: 400 });
  await sendPaced(stack, tenant, text);
  const failed = (await readHealth(stack, tenant)).body;
  assertEquals([failed.lastFailure.status, failed.lastFailure.code], ["failed", "http_400"]);
  assertMatch(failed.lastFailure.at, /T.*Z$/);
  stack.provider.answer = () => new Response("<html>", { status: 500 });
  await sendPaced(stack, tenant, text);
  const unknown = (await readHealth(stack, tenant)).body;
  assertEquals([unknown.unconfirmed, unknown.lastFailure.status], [1, "unconfirmed"]);
});

Deno.test("what failed after it had left is no success", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { body } = await sendPaced(stack, tenant, text);
  await stack.admin`
    select messaging.advance_message(
      ${body.messageId}, ${body.providerMessageId}, 'failed', now(), '{"code": "131042"}'
    )`;
  const health = (await readHealth(stack, tenant)).body;
  assertEquals([health.lastSuccessAt, health.lastFailure.code], [null, "131042"]);
});

Deno.test("what was received is no success", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await sendPaced(stack, tenant, text);
  const { lastSuccessAt } = (await readHealth(stack, tenant)).body;
  await stack.admin`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, status,
      provider_message_id, sent_at
    )
    select m.instance_id, m.contact_id, m.conversation_id, 'inbound', 'text', 'Oi', 'received', 'in',
      m.sent_at + interval '1 minute'
    from messaging.messages m`;
  assertMatch(lastSuccessAt, /T.*Z$/);
  assertEquals((await readHealth(stack, tenant)).body.lastSuccessAt, lastSuccessAt);
});

Deno.test("health says until when a provider's refusal of the whole instance holds the queue", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await sendPaced(stack, tenant, { ...queued, delayMessage: 10 });
  await stack.admin`
    update messaging.dispatch set hold_until = now() + interval '5 minutes'
    where instance_id = ${tenant.instanceId}`;
  const { body } = await readHealth(stack, tenant);
  assertEquals(body.status, "held");
  assertMatch(body.heldUntil, /T.*Z$/);
});

Deno.test("without an instance it is the token's health, and another's is hidden", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { status, body } = await stack.messages(tenant, "GET", "/health");
  assertEquals([status, body.instanceId], [200, tenant.instanceId]);
  const other = await stack.createTenant();
  const path = `/health?instanceId=${other.instanceId}`;
  const hidden = await stack.messages(tenant, "GET", path);
  assertEquals([hidden.status, hidden.body.error], [404, "Instance not found"]);
});

function readHealth(stack: MessagingStack, tenant: Tenant): Promise<Answer> {
  return stack.messages(tenant, "GET", `/health?instanceId=${tenant.instanceId}`);
}
