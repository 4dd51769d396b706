import { assert, assertEquals, assertGreater } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { createOperator } from "../../support/fixtures/tenant.ts";
import { administer } from "../../support/stack/admin_calls.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

async function accept(
  stack: MessagingStack,
  tenant: Tenant,
  message: string,
  how: Record<string, unknown> = {},
): Promise<Body> {
  const answer = await stack.send(tenant, {
    phone: "5511987654321",
    messageType: "text",
    message,
    ...how,
  });
  assertEquals(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** Due at once. */
const paced = { queued: true, intervalSeconds: 10 };

function sentTexts(stack: MessagingStack): string[] {
  return stack.provider.requests.map(({ json }) => JSON.stringify(json))
    .map((text) => /Text \w+/.exec(text)?.[0] ?? text).sort();
}

async function read(stack: MessagingStack, tenant: Tenant, messageId: string): Promise<Body> {
  const path = `/messages/${messageId}?instanceId=${tenant.instanceId}`;
  return (await stack.messages(tenant, "GET", path)).body;
}

/** Moves what waits into the past, as if its time had come. */
async function makeDue(stack: MessagingStack): Promise<void> {
  await stack.admin`
    update messaging.message_queue set interval_seconds = 0,
      scheduled_at = scheduled_at - interval '1 hour',
      visible_at = visible_at - interval '1 hour'
    where claim_token is null and visible_at is distinct from 'infinity'`;
  await stack.admin`
    update messaging.dispatch set next_due_at = next_due_at - interval '1 hour',
      paced_from = '-infinity' where operator_hold_until < now()`;
}

Deno.test("while an instance is held nothing of it leaves by the dispatcher, and all of it leaves after the release", async () => {
  await using stack = await startMessagingStack();
  const [held, free] = [await stack.createTenant(), await stack.createTenant()];
  await accept(stack, held, "Text before", { ...paced, delayMessage: 60 });
  const hold = await administer(stack, "POST", "/queue/hold", {
    body: {
      instanceId: held.instanceId,
      reason: "restore",
    },
  });
  assertEquals([hold.status, hold.body], [200, {
    success: true,
    instances: 1,
    inFlight: 0,
    heldUntil: null,
    reason: "restore",
  }]);
  const queued = await accept(stack, held, "Text queued", paced);
  const delayed = await accept(stack, held, "Text delayed", { delayMessage: 1 });
  await accept(stack, free, "Text free", paced);
  const operatorId = await createOperator(stack.admin, held.workspaceId, {
    name: "Ana",
    email: "ana@example.com",
  });
  await stack.send(held, { phone: "5511987654321", assignTo: operatorId });
  await makeDue(stack);
  await stack.dispatch({ durationMs: 400 });
  await stack.dispatch();
  assertEquals(sentTexts(stack), ["Text free"]);
  assertEquals(stack.mail.requests.length, 0);
  assertEquals([queued.heldBy, queued.scheduledFor], ["operator_hold", null]);
  for (const { messageId } of [queued, delayed]) {
    const { status, heldBy, scheduledFor } = await read(stack, held, messageId);
    assertEquals([status, heldBy, scheduledFor], ["queued", "operator_hold", null]);
  }
  const queue = await stack.messages(held, "GET", `/queue?instanceId=${held.instanceId}`);
  assertEquals(queue.body.items.map((item: Body) => [item.heldBy, item.scheduledFor]), [
    ["operator_hold", null],
    ["operator_hold", null],
    ["operator_hold", null],
  ]);
  const health = await stack.messages(held, "GET", `/health?instanceId=${held.instanceId}`);
  assertEquals(
    [health.body.status, health.body.heldUntil, health.body.oldestDueAt],
    ["held", null, null],
  );

  const released = await administer(stack, "POST", "/queue/release", {
    body: {
      instanceId: held.instanceId,
    },
  });
  assertEquals(released.body, { success: true, instances: 1 });
  // What was held leaves at a pace, which counts from when the one before it has left.
  await waitUntil(async () => {
    await stack.dispatch();
    return sentTexts(stack).length >= 4 && stack.mail.requests.length >= 1;
  }, { what: "what was held" });
  assertEquals(sentTexts(stack), ["Text before", "Text delayed", "Text free", "Text queued"]);
  assertEquals(stack.mail.requests.length, 1);
});

Deno.test("an immediate send goes out while its instance is held, and no hold stops a cancellation", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const waiting = await accept(stack, tenant, "Text waiting", { ...paced, delayMessage: 60 });
  await administer(stack, "POST", "/queue/hold", { body: {} });
  const now = await accept(stack, tenant, "Text now");
  assertEquals([now.status, now.heldBy], ["sent", null]);
  const path = `/messages/${waiting.messageId}?instanceId=${tenant.instanceId}`;
  const canceled = await stack.messages(tenant, "DELETE", path);
  assertEquals([canceled.status, canceled.body.status], [200, "canceled"]);
});

Deno.test("a hold of all is listed by instance, ends where one is released, and outlives new credentials", async () => {
  await using stack = await startMessagingStack();
  const [first, second] = [await stack.createTenant(), await stack.createTenant()];
  const hold = await administer(stack, "POST", "/queue/hold", { body: { reason: "restore" } });
  assertEquals(hold.body.instances, 2);
  await accept(stack, first, "Text one", paced);
  const { body: { items } } = await administer(stack, "GET", "/queue/holds");
  assertEquals(
    items.map((item: Body) => [item.instanceId, item.waiting, item.reason, item.heldUntil]).sort(),
    [[first.instanceId, 1, "restore", null], [second.instanceId, 0, "restore", null]].sort(),
  );
  await administer(stack, "PATCH", `/instances/${first.instanceId}`, {
    body: {
      providerConfig: {
        baseUrl: stack.provider.baseUrl,
        gatewayInstanceId: first.gatewayInstanceId,
        token: "a-new-token",
        webhookSecret: "a-secret-for-the-webhook-address",
      },
    },
  });
  await stack.dispatch({ durationMs: 300 });
  assertEquals(sentTexts(stack), []);
  await administer(stack, "POST", "/queue/release", { body: { instanceId: second.instanceId } });
  const left = await administer(stack, "GET", "/queue/holds");
  assertEquals(left.body.items.map((item: Body) => item.instanceId), [first.instanceId]);
  const created = await administer(stack, "POST", "/queue/release", { body: {} });
  assertEquals(created.body.instances, 1);
  assertEquals((await administer(stack, "POST", "/queue/release", { body: {} })).body.instances, 0);
});

Deno.test("an instance is held since its first hold, until it is released", async () => {
  await using stack = await startMessagingStack();
  await stack.createTenant();
  const readSince = async (reason: string): Promise<string> => {
    await administer(stack, "POST", "/queue/hold", { body: { reason } });
    const { body } = await administer(stack, "GET", "/queue/holds");
    assertEquals(body.items[0].reason, reason);
    return body.items[0].heldAt;
  };
  const first = await readSince("restore");
  assertEquals(await readSince("another reason"), first);
  await administer(stack, "POST", "/queue/release", { body: {} });
  assertGreater(Date.parse(await readSince("restore")), Date.parse(first));
});

Deno.test("a hold with an end ends by itself, and says until when", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await administer(stack, "POST", "/queue/hold", {
    body: { instanceId: tenant.instanceId, until },
  });
  const paced1 = await accept(stack, tenant, "Text paced", paced);
  const delayed = await accept(stack, tenant, "Text delayed", { delayMessage: 1 });
  assertEquals(Date.parse(paced1.scheduledFor), Date.parse(until));
  const { heldBy, scheduledFor } = await read(stack, tenant, delayed.messageId);
  assertEquals([heldBy, Date.parse(scheduledFor)], ["operator_hold", Date.parse(until)]);
  const { body: { heldUntil } } = await stack.messages(
    tenant,
    "GET",
    `/health?instanceId=${tenant.instanceId}`,
  );
  assertEquals(Date.parse(heldUntil), Date.parse(until));
  await makeDue(stack);
  await stack.dispatch();
  assertEquals(sentTexts(stack), []);
  await stack.admin`
    update messaging.dispatch set operator_hold_until = now(), next_due_at = now()`;
  await stack.admin`
    update messaging.message_queue set visible_at = now() where visible_at is not null`;
  await stack.dispatch({ durationMs: 500 });
  assertEquals(sentTexts(stack), ["Text delayed", "Text paced"]);
});

Deno.test("a hold in the past, of an unknown instance or with a wrong instant is refused", async () => {
  await using stack = await startMessagingStack();
  const past = await administer(stack, "POST", "/queue/hold", {
    body: { until: "2020-01-01T00:00:00Z" },
  });
  assertEquals([past.status, past.body.issues[0].path], [400, "until"]);
  const unknown = await administer(stack, "POST", "/queue/hold", {
    body: {
      instanceId: crypto.randomUUID(),
    },
  });
  assertEquals([unknown.status, unknown.body.error], [404, "Instance not found"]);
  for (const path of ["/queue/may-have-left", "/queue/may-have-left?since=yesterday"]) {
    const answer = await administer(stack, "GET", path);
    assertEquals([answer.status, answer.body.issues[0].path], [400, "since"]);
  }
});

Deno.test("a repeated hold and release with the same Idempotency-Key are executed once", async () => {
  await using stack = await startMessagingStack();
  await stack.createTenant();
  const key = { "idempotency-key": "restore-1" };
  const first = await administer(stack, "POST", "/queue/hold", {
    body: { reason: "a" },
    headers: key,
  });
  await administer(stack, "POST", "/queue/release", { body: {} });
  const again = await administer(stack, "POST", "/queue/hold", {
    body: { reason: "a" },
    headers: key,
  });
  assertEquals(again.body, first.body);
  assertEquals((await administer(stack, "GET", "/queue/holds")).body.items, []);
});

Deno.test("an instance that asks for retries of unconfirmed messages retries none while it is held", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ onUnconfirmed: "retry" });
  const { messageId } = await accept(stack, tenant, "Text one");
  await stack.admin`
    update messaging.messages set status = 'unconfirmed', sent_at = null,
      unconfirmed_at = now() - interval '20 minutes' where id = ${messageId}`;
  await administer(stack, "POST", "/queue/hold", { body: {} });
  assertEquals((await stack.dispatch()).requeued, 0);
  await administer(stack, "POST", "/queue/release", { body: {} });
  assertEquals((await stack.dispatch()).requeued, 1);
});

Deno.test("a stack that is held without an end is not reported as stalled", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await administer(stack, "POST", "/queue/hold", { body: {} });
  await accept(stack, tenant, "Text one", paced);
  assertEquals((await stack.dispatch()).woken, 0);
  assert(stack.logLines.every(({ event }) => event !== "stalled_instances_rescued"));
});
