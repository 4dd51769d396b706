import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { delayNextSlot } from "../../support/fixtures/queue_slots.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };

Deno.test("what has not left by its expiresAt becomes expired, with its event, and is never sent", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const expiresAt = fromNow(90_000);
  const calls = [
    { ...text, delayMessage: 3_600, expiresAt },
    { ...text, sendAt: fromNow(3_600), expiresAt },
    { ...text, queued: true, delayMessage: 3_600, expiresAt },
    { ...text, queued: true, sendAt: fromNow(86_400), expiresAt },
  ];
  const ids: string[] = [];
  for (const call of calls) ids.push((await stack.send(tenant, call)).body.messageId);
  await stack.dispatch();
  assertEquals(await statuses(ids), ["queued", "queued", "queued", "queued"]);
  await stack.admin`update messaging.messages set expires_at = ${fromNow(600)}`;
  await letTimePass(stack.admin, 601);
  await stack.dispatch();
  assertEquals(await statuses(ids), ["expired", "expired", "expired", "expired"]);
  const told = await stack.admin<{ type: string; status: string }[]>`
    select type, (message).status from messaging.events
    where (message).id = any (${ids}) order by sequence`;
  assertEquals(
    told.map((event) => ({ ...event })),
    ids.map(() => ({ type: "message.expired", status: "expired" })),
  );
  await letTimePass(stack.admin, 2 * 86_400);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 0);

  async function statuses(of: readonly string[]): Promise<string[]> {
    const answers = await Promise.all(
      of.map((id) => stack.messages(tenant, "GET", `/messages/${id}`)),
    );
    return answers.map(({ body }) => body.status);
  }
});

Deno.test("an expiresAt before the message is to leave is refused, and nothing is stored", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const early = [
    { sendAt: fromNow(3_600), expiresAt: fromNow(600) },
    { sendAt: fromNow(3_600), expiresAt: fromNow(600), queued: true },
    { delayMessage: 3_600, expiresAt: fromNow(600) },
  ];
  for (const timing of early) {
    const { status, body } = await stack.send(tenant, { ...text, ...timing });
    assertEquals([status, body.error], [400, "invalid_request"]);
    assertEquals(body.issues.map(({ path }: { path: string }) => path), ["expiresAt"]);
  }
  assertEquals((await stack.admin`select from messaging.messages`).length, 0);
});

Deno.test("the claim asks too: a due message that is late expires instead, and the one behind it leaves", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const paced = { ...text, queued: true, intervalSeconds: 10 };
  await delayNextSlot(stack.admin, tenant.instanceId, 60, 10);
  const late = await stack.send(tenant, { ...paced, message: "late", expiresAt: fromNow(90) });
  await stack.send(tenant, { ...paced, message: "on time" });
  const delayed = await stack.send(tenant, {
    ...{ ...text, delayMessage: 60, expiresAt: fromNow(90) },
  });
  await letTimePass(stack.admin, 100);
  const sent: unknown[] = [];
  for (let claims = 0; claims < 3; claims++) {
    const { messages } = await stack.database.rpc("claim_due_messages", {
      ...{ maxMessages: 10, leaseSeconds: 30 },
    });
    sent.push(...messages.map(({ message }) => message));
  }
  assertEquals(sent, ["on time"]);
  for (const { body } of [late, delayed]) {
    const { body: message } = await stack.messages(tenant, "GET", `/messages/${body.messageId}`);
    assertEquals(message.status, "expired");
  }
});

Deno.test("a temporary refusal is not tried again after expiresAt, by the dispatcher or by the same key", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = () => new Response("{}", { status: 503 });
  const headers = { "Idempotency-Key": "once" };
  const call = { ...text, expiresAt: fromNow(600) };
  const first = await stack.send(tenant, call, headers);
  assertEquals([first.status, first.body.retryable], [502, true]);
  const waiting = await stack.send(tenant, { ...text, delayMessage: 1, expiresAt: fromNow(600) });
  await letTimePass(stack.admin, 2);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 2);
  await letTimePass(stack.admin, 600);
  await stack.send(tenant, call, headers);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 2);
  const { body } = await stack.messages(tenant, "GET", `/messages/${waiting.body.messageId}`);
  assertEquals([body.status, body.attempts], ["expired", 1]);
  const retried = await stack.messages(tenant, "POST", `/messages/${first.body.messageId}/retry`);
  assertEquals([retried.status, retried.body.error], [409, "message_not_retriable"]);
});

Deno.test("expired messages are listed by their status, are in no queue, and cannot be canceled or retried", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { body: sent } = await stack.send(tenant, {
    ...{ ...text, delayMessage: 30, expiresAt: fromNow(60) },
  });
  await stack.send(tenant, { ...text, delayMessage: 3_600 });
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  const list = await stack.messages(tenant, "GET", "/messages?status=expired");
  assertEquals(list.body.items.map(({ messageId }: { messageId: string }) => messageId), [
    sent.messageId,
  ]);
  const ofInstance = `instanceId=${tenant.instanceId}`;
  assertEquals((await stack.messages(tenant, "GET", `/queue?${ofInstance}`)).body.total, 1);
  assertEquals((await stack.messages(tenant, "GET", `/health?${ofInstance}`)).body.queueDepth, 1);
  const path = `/messages/${sent.messageId}`;
  const canceled = await stack.messages(tenant, "DELETE", path);
  assertEquals([canceled.status, canceled.body.error], [409, "message_not_cancelable"]);
  const retried = await stack.messages(tenant, "POST", `${path}/retry`);
  assertEquals([retried.status, retried.body.error], [409, "message_not_retriable"]);
});

Deno.test("an expired message gives the last slot of its instance back", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const paced = { ...text, queued: true, intervalSeconds: 3_600 };
  await stack.send(tenant, paced);
  const kept = await stack.send(tenant, paced);
  await stack.send(tenant, { ...paced, expiresAt: fromNow(60) });
  await stack.send(tenant, { ...paced, expiresAt: fromNow(60) });
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  const next = await stack.send(tenant, paced);
  const slots = [kept, next].map(({ body }) => Date.parse(body.scheduledFor));
  assertEquals((slots[1] ?? 0) - (slots[0] ?? 0), 3_600_000 - 61_000);
});

function fromNow(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}
