/** A repeated call whose first attempt was refused for now or is unknown (decisions, section 5). */
import { createProcessAiAgentApp } from "../../../functions/process-ai-agent/app.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { acceptMessage, answerUnknown } from "../../support/doubles/http_double.ts";
import {
  type Answer,
  type MessagingStack,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { isWaiting, openSessions } from "../../support/database/sessions.ts";
import { createAgent, type Tenant } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };
const key = { "Idempotency-Key": "k" };

const busy = (retryAfter?: string): Response =>
  Response.json({ error: "busy" }, {
    status: 429,
    headers: retryAfter === undefined ? {} : { "Retry-After": retryAfter },
  });
const refuse = (): Response => Response.json({ error: "no" }, { status: 400 });

const isReplay = ({ headers }: Answer): boolean => headers.get("idempotent-replayed") === "true";

async function countMessages({ admin }: MessagingStack): Promise<number> {
  const [row] = await admin<{ count: number }[]>`select count(*)::int from messaging.messages`;
  return row?.count ?? 0;
}

async function retryByHand(stack: MessagingStack, tenant: Tenant, sent: Answer): Promise<void> {
  const path = `/messages/${sent.body.messageId}/retry`;
  assertEquals((await stack.messages(tenant, "POST", path)).status, 200);
}

Deno.test("the key of a refusal with `retryable` attempts the same message again, and again, until it is sent", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = () => busy();
  const first = await stack.send(tenant, text, key);
  const second = await stack.send(tenant, text, key);
  for (const answer of [first, second]) {
    assertEquals([answer.status, answer.body.error, answer.body.retryable, isReplay(answer)], [
      ...[502, "provider_send_failed", true, false],
    ]);
  }
  stack.provider.answer = acceptMessage;
  const third = await stack.send(tenant, text, key);
  assertEquals([third.status, third.body.mode, third.body.status, isReplay(third)], [
    ...[200, "sent", "sent", false],
  ]);
  const fourth = await stack.send(tenant, text, key);
  assertEquals([fourth.status, fourth.body, isReplay(fourth)], [200, third.body, true]);
  assertEquals(new Set([first, second, third].map(({ body }) => body.messageId)).size, 1);
  assertEquals(await countMessages(stack), 1);
  assertEquals(stack.provider.requests.length, 3);
  const message = await stack.messages(tenant, "GET", `/messages/${third.body.messageId}`);
  assertEquals([message.body.status, message.body.attempts, message.body.lastError], [
    ...["sent", 3, null],
  ]);
});

Deno.test("an attempt that is refused for good, or whose outcome is unknown, is the answer from then on", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const [name, answer, status] of [["no", refuse, 502], ["?", answerUnknown, 504]] as const) {
    const ownKey = { "Idempotency-Key": name };
    stack.provider.answer = () => busy();
    assertEquals((await stack.send(tenant, text, ownKey)).status, 502);
    stack.provider.answer = answer;
    const second = await stack.send(tenant, text, ownKey);
    assertEquals([second.status, second.body.retryable, isReplay(second)], [status, false, false]);
    stack.provider.answer = acceptMessage;
    const third = await stack.send(tenant, text, ownKey);
    assertEquals([third.status, third.body, isReplay(third)], [status, second.body, true]);
  }
  assertEquals(stack.provider.requests.length, 4);
});

Deno.test("of two simultaneous repeats one attempts, the other hears that the key is in progress", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = () => busy();
  await stack.send(tenant, text, key);
  const release = Promise.withResolvers<void>();
  stack.provider.answer = async (request) => {
    await release.promise;
    return acceptMessage(request);
  };
  const repeats = Array.from({ length: 20 }, () => stack.send(tenant, text, key));
  const losers = Promise.all(
    repeats.map(async (repeat) => (await repeat).status === 409 ? 1 : 0),
  );
  await waitUntil(() => stack.provider.requests.length === 2);
  const late = await stack.send(tenant, text, key);
  assertEquals([late.status, late.body.error, late.headers.get("retry-after")], [
    ...[409, "idempotency_key_in_progress", "1"],
  ]);
  release.resolve();
  const refused = (await losers).reduce<number>((sum, one) => sum + one, 0);
  const answers = await Promise.all(repeats);
  const executed = answers.filter((answer) => answer.status === 200 && !isReplay(answer));
  assertEquals(executed.length, 1);
  const replayed = answers.filter((answer) => answer.status === 200 && isReplay(answer));
  assertEquals(refused + replayed.length, 19);
  assertEquals(stack.provider.requests.length, 2);
});

Deno.test("what was delivered by a retry of the message is what the key answers", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (
    const [name, answer] of [["for good", refuse], ["for now", (): Response => busy()]] as const
  ) {
    const ownKey = { "Idempotency-Key": name };
    stack.provider.answer = answer;
    const failed = await stack.send(tenant, text, ownKey);
    await retryByHand(stack, tenant, failed);
    const waiting = await stack.send(tenant, text, ownKey);
    assertEquals([waiting.status, waiting.body.mode, waiting.body.status, isReplay(waiting)], [
      ...[200, "scheduled", "queued", true],
    ]);
    stack.provider.answer = acceptMessage;
    await stack.dispatch();
    const sent = await stack.send(tenant, text, ownKey);
    assertEquals([sent.status, sent.body.mode, sent.body.status, isReplay(sent)], [
      ...[200, "sent", "sent", true],
    ]);
    assertEquals(sent.body.messageId, failed.body.messageId);
    assert(typeof sent.body.providerMessageId === "string");
    await stack
      .admin`update messaging.messages set status = 'read' where id = ${sent.body.messageId}`;
    assertEquals((await stack.send(tenant, text, ownKey)).body.status, "read");
  }
  assertEquals(stack.provider.requests.length, 4);
});

Deno.test("an unknown outcome that was settled since is answered as it was settled", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = answerUnknown;
  const settled = [
    ["delivered", 200, true, { status: "delivered", providerMessageId: "p-1" }],
    ["failed", 502, false, { retryable: false, details: { code: "131026", message: "No" } }],
  ] as const;
  for (const [status, answered, success, body] of settled) {
    const ownKey = { "Idempotency-Key": status };
    const unknown = await stack.send(tenant, text, ownKey);
    assertEquals(unknown.status, 504);
    await stack.admin`
      select messaging.advance_message(
        ${unknown.body.messageId}, 'p-1', ${status}, now(), '{"code":"131026","message":"No"}')`;
    const known = await stack.send(tenant, text, ownKey);
    assertEquals([known.status, known.body.success, isReplay(known)], [answered, success, true]);
    for (const [name, value] of Object.entries(body)) assertEquals(known.body[name], value, name);
  }
  assertEquals(stack.provider.requests.length, 2);
});

Deno.test("a canceled message's key answers that it was canceled", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const calls = { queued: { queued: true, delayMessage: 600 }, scheduled: { delayMessage: 600 } };
  for (const [mode, how] of Object.entries(calls)) {
    const ownKey = { "Idempotency-Key": mode };
    const body = { ...text, ...how };
    const first = await stack.send(tenant, body, ownKey);
    assertEquals([first.body.mode, first.body.status], [mode, "queued"]);
    await stack.messages(tenant, "DELETE", `/messages/${first.body.messageId}`);
    const again = await stack.send(tenant, body, ownKey);
    assertEquals([again.status, again.body.mode, again.body.status, isReplay(again)], [
      ...[200, mode, "canceled", true],
    ]);
    assertEquals(again.body.messageId, first.body.messageId);
  }
  stack.provider.answer = () => busy();
  const failed = await stack.send(tenant, text, key);
  await retryByHand(stack, tenant, failed);
  await stack.messages(tenant, "DELETE", `/messages/${failed.body.messageId}`);
  const again = await stack.send(tenant, text, key);
  assertEquals([again.status, again.body.status], [200, "canceled"]);
  assertEquals(stack.provider.requests.length, 1);
});

Deno.test("an attempt pauses the agent again, and assigns and creates nothing twice", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await createAgent(stack.admin, tenant.instanceId);
  stack.provider.answer = () => busy();
  const first = await stack.send(tenant, text, key);
  await letTimePass(stack.admin, 3_600);
  stack.provider.answer = acceptMessage;
  const second = await stack.send(tenant, text, key);
  assertEquals(second.status, 200);
  const pausedForMs = Date.parse(second.body.aiAgentPausedUntil) - Date.now();
  assert(pausedForMs > 29 * 60_000 && pausedForMs <= 30 * 60_000, `${pausedForMs}`);
  assertEquals(second.body.contactId, first.body.contactId);
  assertEquals(second.body.conversationId, first.body.conversationId);
});

Deno.test("a contact blocked since is refused before an attempt, and the key stays as it was", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = () => busy();
  await stack.send(tenant, text, key);
  await stack.admin`update messaging.contacts set is_blocked = true`;
  const blocked = await stack.send(tenant, text, key);
  assertEquals([blocked.status, blocked.body.error], [409, "contact_blocked"]);
  await stack.admin`update messaging.contacts set is_blocked = false`;
  stack.provider.answer = acceptMessage;
  assertEquals((await stack.send(tenant, text, key)).status, 200);
  assertEquals(stack.provider.requests.length, 2);
});

Deno.test("the provider's Retry-After reaches the caller of an immediate send, rounded up to seconds", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const status of [429, 503]) {
    stack.provider.answer = () =>
      Response.json({ error: "busy" }, { status, headers: { "Retry-After": "7" } });
    const refused = await stack.send(tenant, text, { "Idempotency-Key": `${status}` });
    assertEquals([refused.status, refused.body.retryable, refused.headers.get("retry-after")], [
      ...[502, true, "7"],
    ]);
  }
  stack.provider.answer = () => busy();
  assertEquals((await stack.send(tenant, text)).headers.get("retry-after"), null);
  stack.provider.answer = () => Response.json({}, { status: 400, headers: { "Retry-After": "7" } });
  assertEquals((await stack.send(tenant, text)).headers.get("retry-after"), null);
});

Deno.test("process-ai-agent tries again by the same key too, hears Retry-After, and pauses nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await createAgent(stack.admin, tenant.instanceId);
  const app = createProcessAiAgentApp(stack.services);
  const open = (): Promise<Response> =>
    Promise.resolve(callApp(app, "/process-ai-agent", {
      method: "POST",
      headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json", ...key },
      body: JSON.stringify({
        ...{ instanceId: tenant.instanceId, phone: text.phone },
        ...{ initiateConversation: true, messageText: "Oi" },
      }),
    }));
  stack.provider.answer = () => busy("3");
  const first = await open();
  const failed = await first.json();
  assertEquals([first.status, failed.retryable, first.headers.get("retry-after")], [
    502,
    true,
    "3",
  ]);
  stack.provider.answer = acceptMessage;
  const second = await open();
  const sent = await second.json();
  assertEquals([second.status, sent.mode, sent.status, sent.messageId], [
    ...[200, "sent", "sent", failed.messageId],
  ]);
  assertEquals([sent.agentId, second.headers.get("idempotent-replayed")], [failed.agentId, null]);
  assertEquals((await stack.admin`select from messaging.agent_pauses`).length, 0);
  assertEquals(await countMessages(stack), 1);
});

Deno.test("of two attempts in hand one is written first, and the other hears that it comes second", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = () => busy();
  const failed = await stack.send(tenant, text, key);
  stack.provider.answer = acceptMessage;
  const { one } = await openSessions(stack.testDatabase);
  // A person's retry is in progress: it has locked the message, and commits first.
  await one.unsafe("begin");
  await callFunction(one, "retry_message", {
    instanceId: tenant.instanceId,
    messageId: failed.body.messageId,
    idempotency: null,
  });
  const attempt = stack.send(tenant, text, key);
  await waitUntil(() => isWaiting(stack.admin));
  await one.unsafe("commit");
  const second = await attempt;
  assertEquals([second.status, second.body.error], [409, "idempotency_key_in_progress"]);
  assertEquals(stack.provider.requests.length, 1);
  await stack.dispatch();
  assertEquals((await stack.send(tenant, text, key)).body.status, "sent");
  assertEquals(stack.provider.requests.length, 2);
});

Deno.test("a crash during an attempt is in progress until its lease ends, then an unknown outcome", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = () => busy();
  const failed = await stack.send(tenant, text, key);
  const { instanceId } = tenant;
  // As a process that dies before it calls the provider.
  const [kept] = await stack.admin`select scope, key, fingerprint from messaging.idempotency_keys`;
  const attempted = await callFunction<{ attempted: { message: { messageId: string } } }>(
    stack.admin,
    "accept_message",
    {
      ...{ instanceId, phone: text.phone, idempotency: kept, assignment: null, message: text },
      delivery: { queued: false, intervalSeconds: 30, delaySeconds: 0, leaseSeconds: 30 },
    },
  );
  assertEquals(attempted.attempted.message.messageId, failed.body.messageId);
  assertEquals((await stack.send(tenant, text, key)).status, 409);
  await letTimePass(stack.admin, 60);
  for (const expire of [false, true]) {
    if (expire) await stack.dispatch();
    const late = await stack.send(tenant, text, key);
    assertEquals([late.status, late.body.error, isReplay(late)], [
      ...[504, "provider_outcome_unknown", true],
    ]);
  }
  assertEquals(stack.provider.requests.length, 1);
});
