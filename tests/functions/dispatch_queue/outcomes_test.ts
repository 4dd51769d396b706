import { assert, assertEquals, assertGreater, assertLess } from "../../support/assert.ts";
import {
  acceptMessage,
  answerNever,
  answerUnknown,
  startHttpDouble,
} from "../../support/doubles/http_double.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { type Tenant, type TenantOptions, testVault } from "../../support/fixtures/tenant.ts";
import { findClosedBaseUrl } from "../providers/provider_double.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { callUntyped } from "../../support/database/untyped_calls.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { sendPaced } from "../../support/fixtures/queue_slots.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };
const deliveries = [
  { queued: true, intervalSeconds: 10, delayMessage: 60 },
  { delayMessage: 60 },
] as const;

Deno.test("a temporary refusal is tried again with growing waits, at most 5 times, and then fails", async () => {
  for (const delivery of deliveries) {
    await using stack = await startMessagingStack();
    const { tenant, messageId } = await startDue(stack, delivery);
    stack.provider.answer = () => new Response("busy", { status: 503 });
    // Each wait, measured from before the attempt and from after it.
    const waits: (readonly [longest: number, shortest: number])[] = [];
    for (let attempt = 1; attempt <= 6; attempt++) {
      const before = await readClock(stack);
      await stack.dispatch();
      assertEquals(stack.provider.requests.length, attempt);
      const state = await readState(stack, tenant, messageId);
      assertEquals(state.attempts, attempt);
      assertEquals(state.status, attempt < 6 ? "queued" : "failed");
      if (attempt === 6) break;
      const due = await readDue(stack);
      waits.push([due - before, due - await readClock(stack)]);
      // Puts the attempt a minute off, so that it is still early on a slow machine.
      await letTimePass(stack.admin, -60);
      await stack.dispatch();
      assertEquals(stack.provider.requests.length, attempt, "it waits");
      await letTimePass(stack.admin, 60 + due - before);
    }
    for (const [index, backoff] of [2, 8, 32, 128, 512].entries()) {
      // A paced message also keeps its interval, counted from the attempt.
      const intervalSeconds = "queued" in delivery ? delivery.intervalSeconds : 0;
      const [longest = 0, shortest = 0] = waits[index] ?? [];
      assertGreater(longest, Math.max(backoff, intervalSeconds) - 0.01);
      assertLess(shortest, Math.max(backoff * 1.2, intervalSeconds) + 0.5);
    }
    await letTimePass(stack.admin, 86_400);
    await stack.dispatch();
    assertEquals(stack.provider.requests.length, 6);
  }
});

Deno.test("the provider's Retry-After is kept to where it is longer", async () => {
  await using stack = await startMessagingStack();
  await startDue(stack, { delayMessage: 60 });
  stack.provider.answer = () =>
    new Response("busy", { status: 429, headers: { "Retry-After": "90" } });
  const before = await readClock(stack);
  await stack.dispatch();
  const due = await readDue(stack);
  assertGreater(due - before, 89.99);
  assertLess(due - await readClock(stack), 90);
});

Deno.test("what waits after a refusal says when it may leave now, alone and in the queue", async () => {
  await using stack = await startMessagingStack();
  const { tenant, messageId } = await startDue(stack, deliveries[0]);
  stack.provider.answer = () =>
    new Response("busy", { status: 429, headers: { "Retry-After": "90" } });
  const before = await readClock(stack);
  await stack.dispatch();
  const state = await readState(stack, tenant, messageId);
  const at = Date.parse(state.scheduledFor) / 1_000;
  assert(at > before + 89.9 && at <= await readClock(stack) + 90, state.scheduledFor);
  const queue = await stack.messages(tenant, "GET", `/queue?instanceId=${tenant.instanceId}`);
  assertEquals(queue.body.items[0].scheduledFor, state.scheduledFor);
});

Deno.test("what a provider answers is recorded whatever is in it", async () => {
  const answers: readonly (readonly [() => Response, string, string | null])[] = [
    [() => Response.json({ error: "bad\0request" }, { status: 400 }), "failed", "bad\uFFFDrequest"],
    [() => Response.json({ error: "half \uD83D" }, { status: 400 }), "failed", "half \uFFFD"],
    [() => Response.json({ messageId: "A\0B" }), "sent", null],
    [() => Response.json({ messageId: "A".repeat(5_000) }), "unconfirmed", null],
  ];
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const [answer, status, message] of answers) {
    stack.provider.answer = answer;
    const { body } = await sendPaced(stack, tenant, text);
    const state = await readState(stack, tenant, body.messageId);
    assertEquals(state.status, status);
    if (message !== null) assertEquals(state.lastError.message, message);
  }
  const left = await stack.admin`select from messaging.message_queue`;
  assertEquals(left.length, 0);
});

Deno.test("after a temporary refusal the message is sent and its error is gone", async () => {
  await using stack = await startMessagingStack();
  const { tenant, messageId } = await startDue(stack, deliveries[0]);
  stack.provider.answer = () => new Response("busy", { status: 503 });
  await stack.dispatch();
  stack.provider.answer = acceptMessage;
  await letTimePass(stack.admin, 20);
  await stack.dispatch();
  const state = await readState(stack, tenant, messageId);
  assertEquals([state.status, state.attempts, state.lastError], ["sent", 2, null]);
});

Deno.test("a permanent refusal fails at once and the next message goes on", async () => {
  await using stack = await startMessagingStack();
  const { tenant, messageId } = await startDue(stack, deliveries[0]);
  await sendPaced(stack, tenant, { ...text, message: "2", queued: true, intervalSeconds: 10 });
  stack.provider.answer = () => Response.json({ error: "bad number" }, { status: 400 });
  await stack.dispatch();
  const state = await readState(stack, tenant, messageId);
  assertEquals([state.status, state.lastError.code], ["failed", "http_400"]);
  stack.provider.answer = acceptMessage;
  await letTimePass(stack.admin, 60);
  await stack.dispatch();
  assertEquals(stack.provider.requests.map((request) => request.json["message"]), ["Olá", "2"]);
});

Deno.test("a refusal of the whole instance holds its queue, so that the backlog is not burnt", async () => {
  await using stack = await startMessagingStack();
  const { tenant, messageId } = await startDue(stack, deliveries[0]);
  const other = await startDue(stack, deliveries[0]);
  // Delayed, because a message that is due at once is dispatched in the background of this test.
  await sendPaced(stack, tenant, {
    ...text,
    message: "2",
    queued: true,
    delayMessage: 5,
    intervalSeconds: 10,
  });
  stack.provider.answer = (request) =>
    request.path.includes(tenant.gatewayInstanceId ?? "?")
      ? Response.json({ error: "no credit" }, { status: 402 })
      : acceptMessage(request);
  await letTimePass(stack.admin, 60);
  const before = await readClock(stack);
  await stack.dispatch();
  const after = await readClock(stack);
  assertEquals((await readState(stack, tenant, messageId)).status, "queued");
  assertEquals((await readState(stack, other.tenant, other.messageId)).status, "sent");
  const held = await sendPaced(stack, tenant, { ...text, message: "3", queued: true });
  const [dispatch] = await stack.admin`
    select extract(epoch from hold_until) as until from messaging.dispatch
    where instance_id = ${tenant.instanceId}`;
  const until = Number(dispatch?.["until"]);
  assert(until > before + 9.9 && until <= after + 10, `held until ${until}, from ${before}`);
  assert(Date.parse(held.body.scheduledFor) >= Math.floor(until * 1_000), "and says so");
  assertEquals(countTo(stack, tenant), 1);
  await letTimePass(stack.admin, 11);
  await stack.dispatch();
  assertEquals(countTo(stack, tenant), 2);
  // Refused a second time: the hold is the long one.
  // A minute is left for a slow machine.
  await letTimePass(stack.admin, 240);
  await stack.dispatch();
  assertEquals(countTo(stack, tenant), 2, "held for five minutes");
  await letTimePass(stack.admin, 70);
  await stack.dispatch();
  assertEquals(countTo(stack, tenant), 3);
});

Deno.test("a dropped session holds the queue for as long as it lasts: nothing fails, all is sent after", async () => {
  for (const delivery of deliveries) {
    await using stack = await startMessagingStack();
    const { tenant, messageId } = await startDue(stack, delivery, { provider: "evolution" });
    const second = await sendPaced(stack, tenant, { ...text, message: "2", ...delivery });
    const calls = { refused: 0 };
    stack.provider.answer = () => {
      calls.refused++;
      return Response.json({
        status: 500,
        error: "Internal Server Error",
        response: { message: ["Error: Connection Closed"] },
      }, { status: 500 });
    };
    const immediate = await sendPaced(stack, tenant, { ...text, message: "now" });
    assertEquals([immediate.status, immediate.body.retryable], [502, true]);
    for (let step = 0; step < 12; step++) {
      await letTimePass(stack.admin, 310);
      await stack.dispatch();
    }
    const waiting = await readState(stack, tenant, messageId);
    assertEquals([waiting.status, waiting.lastError.code], ["queued", "http_500"]);
    const calledAtMost = "queued" in delivery ? 13 : 25;
    assert(calls.refused > 10 && calls.refused <= calledAtMost, `${calls.refused} calls`);
    stack.provider.answer = acceptMessage;
    for (let step = 0; step < 2; step++) {
      await letTimePass(stack.admin, 310);
      await stack.dispatch();
    }
    for (const id of [messageId, second.body.messageId]) {
      assertEquals((await readState(stack, tenant, id)).status, "sent");
    }
  }
});

Deno.test("a gateway that cannot be reached holds the queue for as long as it is away: nothing fails, all is sent after", async () => {
  for (const delivery of deliveries) {
    await using stack = await startMessagingStack();
    const away = findClosedBaseUrl();
    const { tenant, messageId } = await startDue(stack, delivery, { baseUrl: away });
    const second = await sendPaced(stack, tenant, { ...text, message: "2", ...delivery });
    const immediate = await sendPaced(stack, tenant, { ...text, message: "now" });
    assertEquals([immediate.status, immediate.body.retryable], [502, true]);
    for (let step = 0; step < 12; step++) {
      await letTimePass(stack.admin, 310);
      await stack.dispatch();
    }
    const waiting = await readState(stack, tenant, messageId);
    assertEquals([waiting.status, waiting.lastError.code], ["queued", "provider_unreachable"]);
    await using _back = startHttpDouble(acceptMessage, Number(new URL(away).port));
    for (let step = 0; step < 2; step++) {
      await letTimePass(stack.admin, 310);
      await stack.dispatch();
    }
    for (const id of [messageId, second.body.messageId]) {
      assertEquals((await readState(stack, tenant, id)).status, "sent");
    }
  }
});

Deno.test("a temporary refusal of the instance keeps the order: the refused one goes first", async () => {
  await using stack = await startMessagingStack();
  const { tenant } = await startDue(stack, deliveries[0]);
  await sendPaced(stack, tenant, { ...text, message: "2", queued: true, intervalSeconds: 10 });
  stack.provider.answer = () => new Response("busy", { status: 503 });
  await letTimePass(stack.admin, 60);
  await stack.dispatch();
  stack.provider.answer = acceptMessage;
  for (let step = 0; step < 3; step++) {
    await letTimePass(stack.admin, 60);
    await stack.dispatch();
  }
  assertEquals(
    stack.provider.requests.map((request) => request.json["message"]),
    ["Olá", "Olá", "2"],
  );
});

Deno.test("an unknown outcome is unconfirmed, is not sent again by itself, and lets the queue go on", async () => {
  for (const delivery of deliveries) {
    const providerTimeoutMs = 20_123;
    using timeouts = holdTimers(providerTimeoutMs);
    await using stack = await startMessagingStack({ providerTimeoutMs });
    const { tenant, messageId } = await startDue(stack, delivery);
    await sendPaced(stack, tenant, { ...text, message: "2", queued: true, delayMessage: 60 });
    stack.provider.answer = () => {
      timeouts.end();
      return answerNever();
    };
    await stack.dispatchOnce({ maxMessages: 1 });
    assertEquals((await readState(stack, tenant, messageId)).status, "unconfirmed");
    stack.provider.answer = acceptMessage;
    await letTimePass(stack.admin, 3_600);
    await stack.dispatch();
    await stack.dispatch();
    assertEquals(stack.provider.requests.map((request) => request.json["message"]), ["Olá", "2"]);
    assertEquals((await readState(stack, tenant, messageId)).status, "unconfirmed");
  }
});

Deno.test("a refusal of credentials that were replaced meanwhile holds nothing and is tried with the new ones", async () => {
  for (const delivery of deliveries) {
    await using stack = await startMessagingStack();
    const { tenant, messageId } = await startDue(stack, delivery);
    const { instanceId } = tenant;
    stack.provider.answer = async () => {
      const [row] = await stack.admin`
        select sealed_provider_config as sealed from messaging.instances where id = ${instanceId}`;
      const config = await testVault.open<object>(row?.["sealed"], instanceId);
      const sealed = await testVault.seal(config, instanceId);
      await stack.admin`
        update messaging.instances set sealed_provider_config = ${sealed} where id = ${instanceId}`;
      stack.provider.answer = acceptMessage;
      return Response.json({ error: "wrong token" }, { status: 401 });
    };
    await stack.dispatch();
    const [dispatch] = await stack.admin`
      select hold_until > clock_timestamp() as is_held from messaging.dispatch
      where instance_id = ${instanceId}`;
    assertEquals(dispatch?.["is_held"], false);
    await letTimePass(stack.admin, 40);
    await stack.dispatch();
    const state = await readState(stack, tenant, messageId);
    assertEquals([state.status, state.attempts], ["sent", 2]);
  }
});

Deno.test("onUnconfirmed = retry sends again after 15 minutes, not before", async () => {
  for (const delivery of deliveries) {
    await using stack = await startMessagingStack();
    const { tenant, messageId } = await startDue(stack, delivery, { onUnconfirmed: "retry" });
    stack.provider.answer = answerUnknown;
    await stack.dispatchOnce({ maxMessages: 1 });
    stack.provider.answer = acceptMessage;
    // A minute is left for a slow machine.
    await letTimePass(stack.admin, 14 * 60);
    await stack.dispatch();
    assertEquals(stack.provider.requests.length, 1);
    await letTimePass(stack.admin, 61);
    await stack.dispatch();
    assertEquals(stack.provider.requests.length, 2);
    const state = await readState(stack, tenant, messageId);
    assertEquals([state.status, state.attempts], ["sent", 2]);
  }
});

Deno.test("onUnconfirmed = retry sends nothing again that has stayed unconfirmed for more than a day", async () => {
  await using stack = await startMessagingStack();
  const { tenant, messageId } = await startDue(stack, deliveries[0], { onUnconfirmed: "retry" });
  stack.provider.answer = answerUnknown;
  await stack.dispatchOnce({ maxMessages: 1 });
  stack.provider.answer = acceptMessage;
  await letTimePass(stack.admin, 25 * 3_600);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 1);
  assertEquals((await readState(stack, tenant, messageId)).status, "unconfirmed");
});

Deno.test("onUnconfirmed = retry sends nothing again that was tried six times, or whose time is over", async () => {
  await using stack = await startMessagingStack();
  const ends = [
    (id: string) => stack.admin`update messaging.messages set attempts = 6 where id = ${id}`,
    (id: string) =>
      stack.admin`
        update messaging.messages set expires_at = now() + interval '10 minutes' where id = ${id}`,
  ];
  for (const end of ends) {
    stack.provider.answer = answerUnknown;
    const { tenant, messageId } = await startDue(stack, deliveries[0], { onUnconfirmed: "retry" });
    const before = stack.provider.requests.length;
    await stack.dispatchOnce({ maxMessages: 1 });
    stack.provider.answer = acceptMessage;
    await end(messageId);
    await letTimePass(stack.admin, 16 * 60);
    await stack.dispatch();
    assertEquals(stack.provider.requests.length, before + 1);
    assertEquals((await readState(stack, tenant, messageId)).status, "unconfirmed");
  }
});

Deno.test("an instance whose window never opens keeps no other one's message from being sent again", async () => {
  await using stack = await startMessagingStack();
  stack.provider.answer = answerUnknown;
  const stuck = await startDue(stack, deliveries[0], { onUnconfirmed: "retry" });
  await stack.dispatchOnce({ maxMessages: 1 });
  const other = await startDue(stack, deliveries[0], { onUnconfirmed: "retry" });
  await stack.dispatchOnce({ maxMessages: 1 });
  stack.provider.answer = acceptMessage;
  await stack.admin`
    update messaging.instances set window_days = '{1}' where id = ${stuck.tenant.instanceId}`;
  await stack.admin`
    insert into messaging.holidays (instance_id, day)
    select ${stuck.tenant.instanceId}, day::date
    from generate_series(current_date - 3, current_date + 1500, interval '1 day') as day
    where extract(isodow from day) = 1`;
  await letTimePass(stack.admin, 16 * 60);
  await stack.dispatch();
  assertEquals((await readState(stack, other.tenant, other.messageId)).status, "sent");
  assertEquals((await readState(stack, stuck.tenant, stuck.messageId)).status, "unconfirmed");
});

Deno.test("a provider that was busy before does not make one refusal a long hold", async () => {
  await using stack = await startMessagingStack();
  const { tenant } = await startDue(stack, deliveries[0]);
  const readHold = async (): Promise<number> => {
    const [dispatch] = await stack.admin`
      select extract(epoch from hold_until) as until from messaging.dispatch`;
    return Number(dispatch?.["until"]);
  };
  stack.provider.answer = () => new Response("busy", { status: 503 });
  const first = await readClock(stack);
  await stack.dispatch();
  assertGreater(await readHold(), first);
  await letTimePass(stack.admin, 5);
  stack.provider.answer = () => new Response("who?", { status: 403 });
  const before = await readClock(stack);
  await Promise.all([sendPaced(stack, tenant, text), sendPaced(stack, tenant, text)]);
  const [until, after] = [await readHold(), await readClock(stack)];
  assert(until >= before + 9.9 && until <= after + 10, `held until ${until}, from ${before}`);
});

Deno.test("a refusal of replaced credentials changes no order, and one of an immediate send holds nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { instanceId } = tenant;
  const refuseOnce = (): void => {
    stack.provider.answer = async () => {
      stack.provider.answer = acceptMessage;
      const [row] = await stack.admin`
        select sealed_provider_config as sealed from messaging.instances where id = ${instanceId}`;
      const config = await testVault.open<object>(row?.["sealed"], instanceId);
      await stack.admin`
        update messaging.instances set sealed_provider_config = ${await testVault.seal(
        config,
        instanceId,
      )} where id = ${instanceId}`;
      return Response.json({ error: "wrong token" }, { status: 401 });
    };
  };
  for (const message of ["1", "2", "3"]) {
    await sendPaced(stack, tenant, { ...text, message, queued: true, delayMessage: 60 });
  }
  await letTimePass(stack.admin, 600);
  refuseOnce();
  for (let step = 0; step < 4; step++) {
    await stack.dispatch();
    await letTimePass(stack.admin, 31);
  }
  const sent = stack.provider.requests.map(({ json }) => json["message"]);
  assertEquals(sent, ["1", "1", "2", "3"]);

  refuseOnce();
  assertEquals((await sendPaced(stack, tenant, text)).status, 502);
  const [dispatch] = await stack.admin`
    select hold_until > clock_timestamp() as is_held from messaging.dispatch`;
  assertEquals(dispatch?.["is_held"], false);
});

Deno.test("a claim whose worker died ends in unconfirmed, a late refusal changes nothing, a late success is the truth, the queue goes on", async () => {
  for (const delivery of deliveries) {
    await using stack = await startMessagingStack();
    const { tenant, messageId } = await startDue(stack, delivery);
    await sendPaced(stack, tenant, { ...text, message: "2", queued: true, delayMessage: 60 });
    const { messages: [claimed] } = await stack.database.rpc("claim_due_messages", {
      maxMessages: 1,
      leaseSeconds: 600,
    });
    assertEquals(claimed?.messageId, messageId);
    // A minute is left for a slow machine.
    await letTimePass(stack.admin, 540);
    assertEquals((await stack.dispatch()).expiredClaims, 0);
    assertEquals((await readState(stack, tenant, messageId)).status, "sending");
    await letTimePass(stack.admin, 61);
    assertEquals((await stack.dispatch()).expiredClaims, 1);
    const settleLate = (result: object): Promise<unknown> =>
      callUntyped(stack.database, "settle_messages", {
        results: [{ messageId, claimToken: claimed?.claimToken, ...result }],
      });
    const refusal = { outcome: "rejected", error: { code: "late" }, retryable: true };
    assertEquals(await settleLate(refusal), { settled: [] });
    const state = await readState(stack, tenant, messageId);
    assertEquals([state.status, state.providerMessageId, state.lastError.code], [
      "unconfirmed",
      null,
      "worker_lost",
    ]);
    await stack.admin`
      insert into messaging.unmatched_statuses (instance_id, provider_message_id, status, occurred_at)
      values (${tenant.instanceId}, 'late', 'delivered', now())`;
    const success = { outcome: "accepted", providerMessageId: "late" };
    assertEquals(await settleLate(success), { settled: [] });
    const known = await readState(stack, tenant, messageId);
    assertEquals([known.status, known.providerMessageId], ["delivered", "late"]);
    await letTimePass(stack.admin, 90);
    await stack.dispatch();
    assertEquals(stack.provider.requests.map((request) => request.json["message"]), ["2"]);
  }
});

Deno.test("a claim lasts as long as the provider may show typing", async () => {
  for (const delivery of deliveries) {
    await using stack = await startMessagingStack();
    await startDue(stack, { ...delivery, delayTyping: 20_000 });
    const before = await readClock(stack);
    await stack.database.rpc("claim_due_messages", { maxMessages: 1, leaseSeconds: 30 });
    const [row] = await stack.admin`
      select extract(epoch from q.lease_until) as lease,
        extract(epoch from coalesce(d.lease_until, q.visible_at)) as other_lease
      from messaging.message_queue q join messaging.dispatch d using (instance_id)`;
    // Typing is shown for 15 s at most.
    assertGreater(Number(row?.["lease"]) - before, 44.9);
    assertGreater(Number(row?.["other_lease"]) - before, 44.9);
  }
});

Deno.test("credentials that do not open hold the instance; the message is not lost", async () => {
  await using stack = await startMessagingStack();
  const { tenant, messageId } = await startDue(stack, deliveries[0]);
  const [before] = await stack
    .admin`select sealed_provider_config as sealed from messaging.instances`;
  await stack.admin`update messaging.instances set sealed_provider_config = 'v1.broken'`;
  await stack.dispatch();
  const state = await readState(stack, tenant, messageId);
  assertEquals([state.status, state.lastError.code], ["queued", "not_prepared"]);
  await stack.admin`update messaging.instances set sealed_provider_config = ${before?.["sealed"]}`;
  await letTimePass(stack.admin, 60);
  await stack.dispatch();
  assertEquals((await readState(stack, tenant, messageId)).status, "sent");
});

Deno.test("an instance that lost its phoneNumberId keeps what waits instead of leaving it in doubt", async () => {
  await using stack = await startMessagingStack();
  const { tenant, messageId } = await startDue(stack, { delayMessage: 60 }, {
    provider: "whatsapp_cloud",
  });
  const bare = await stack.createTenant({
    provider: "whatsapp_cloud",
    providerConfig: { phoneNumberId: undefined },
  });
  const [row] = await stack.admin`
    select sealed_provider_config as sealed from messaging.instances where id = ${bare.instanceId}`;
  const config = await testVault.open(row?.["sealed"], bare.instanceId);
  await stack.admin`
    update messaging.instances set gateway_instance_id = null,
      sealed_provider_config = ${await testVault.seal(config, tenant.instanceId)}
    where id = ${tenant.instanceId}`;
  await stack.dispatch();
  const state = await readState(stack, tenant, messageId);
  assertEquals(
    [state.status, state.lastError.code],
    ["queued", "provider_outbound_channel_not_configured"],
    JSON.stringify(state),
  );
  assertEquals(stack.provider.requests.length, 0);
});

/** A tenant with one message that is due. */
async function startDue(
  stack: MessagingStack,
  delivery: Readonly<Record<string, unknown>>,
  options: TenantOptions = {},
): Promise<{ tenant: Tenant; messageId: string }> {
  const tenant = await stack.createTenant(options);
  const answer = await sendPaced(stack, tenant, { ...text, ...delivery });
  assertEquals(answer.status, 200, JSON.stringify(answer.body));
  await letTimePass(stack.admin, 60.1);
  return { tenant, messageId: answer.body.messageId };
}

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
async function readState(stack: MessagingStack, tenant: Tenant, messageId: string): Promise<any> {
  const answer = await stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals(answer.status, 200);
  return answer.body;
}

/** When the only message is due, in seconds of the database's clock. */
async function readDue(stack: MessagingStack): Promise<number> {
  const [row] = await stack.admin`
    select extract(epoch from case when q.lane = 'paced' then d.next_due_at else q.visible_at end) as due
    from messaging.message_queue q join messaging.dispatch d using (instance_id)`;
  return Number(row?.["due"]);
}

async function readClock(stack: MessagingStack): Promise<number> {
  const [row] = await stack.admin`select extract(epoch from clock_timestamp()) as now`;
  return Number(row?.["now"]);
}

function countTo(stack: MessagingStack, tenant: Tenant): number {
  return stack.provider.requests
    .filter((request) => request.path.includes(tenant.gatewayInstanceId ?? "?")).length;
}
