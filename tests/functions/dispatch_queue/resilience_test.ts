import { createDispatchQueueApp } from "../../../functions/dispatch-queue/app.ts";
import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import { createSendMessageApp } from "../../../functions/send-message/app.ts";
import type { Database } from "../../../shared/database/database.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assert, assertEquals, assertLessOrEqual } from "../../support/assert.ts";
import { acceptMessage, startHttpDouble } from "../../support/doubles/http_double.ts";
import { shutdownEvent } from "../../../shared/runtime/shutdown.ts";
import { waitUntil } from "../../support/wait_until.ts";
import {
  type LogLine,
  type MessagingStack,
  secretKey,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { delayNextSlot } from "../../support/fixtures/queue_slots.ts";
import type { RpcName } from "../../../shared/database/rpcs.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };

Deno.test("an outcome is recorded though the database is away for a moment, and nothing is sent twice", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const queued = await stack.send(tenant, { ...text, queued: true, delayMessage: 60 });
  await letTimePass(stack.admin, 61);
  const services = withFailures(stack, "settle_messages", 2);
  await runDispatch({ ...services, deliverAgentReply }, { durationMs: 1_000, maxMessages: 1 });
  const app = createSendMessageApp(withFailures(stack, "settle_messages", 1));
  const immediate = await callApp(app, "/send-message", {
    method: "POST",
    headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
    body: JSON.stringify({ ...text, instanceId: tenant.instanceId }),
  });
  assertEquals(immediate.status, 200);
  const { messageId } = await immediate.json();
  for (const id of [queued.body.messageId, messageId]) {
    const state = await stack.messages(tenant, "GET", `/messages/${id}`);
    assertEquals([state.body.status, state.body.attempts], ["sent", 1]);
  }
  assertEquals(stack.provider.requests.length, 2);
});

Deno.test("a run goes on after a look at the database that failed", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.send(tenant, { ...text, delayMessage: 60 });
  await letTimePass(stack.admin, 61);
  const services = withFailures(stack, "claim_due_messages", 1);
  const report = await runDispatch({ ...services, deliverAgentReply }, {
    durationMs: 60_000,
    maxMessages: 1,
  });
  assertEquals(report.accepted, 1);
  assert(stack.logLines.some(({ event }) => event === "dispatch_step_failed"));
});

Deno.test("an end of turns that fails is tried again after a pause, and the run ends on time", async () => {
  await using stack = await startMessagingStack();
  const failing = withFailures(stack, "end_turns", Infinity);
  let tries = 0;
  const database = {
    ...failing.database,
    rpc: async (name: RpcName, request: never) => {
      if (name === "end_turns") tries += 1;
      const result = await failing.database.rpc(name, request);
      return name === "claim_due_messages" ? { ...Object(result), isTurnDue: true } : result;
    },
  } as Database;
  const startedAt = performance.now();
  await runDispatch({ ...failing, database, deliverAgentReply }, {
    durationMs: 2_500,
    maxMessages: 1,
  });
  // At once, then every 500 ms, though the queue is polled five times a second.
  assertLessOrEqual(tries, 1 + (performance.now() - startedAt) / 500);
  assertEquals(stack.logLines.filter(({ event }) => event === "turns_failed").length, tries);
  assert(tries > 1, "it is tried again");
});

Deno.test("a call is answered when the run's first poll has succeeded, whatever the provider does, and the run works on", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.send(tenant, { ...text, delayMessage: 60 });
  await letTimePass(stack.admin, 61);
  const isAnswered = Promise.withResolvers<void>();
  // Without the answer the call would not end, and with it neither would the test.
  stack.provider.answer = async (request) => {
    await isAnswered.promise;
    return acceptMessage(request);
  };
  const answer = await callDispatchQueue(stack, "maxSeconds=60&maxMessages=1");
  const { success, claimsUntil } = await answer.json();
  assertEquals([answer.status, success], [200, true]);
  const claimsForMs = Date.parse(claimsUntil) - Date.now();
  assert(claimsForMs > 0 && claimsForMs <= 60_000, claimsUntil);
  assertEquals(findReport(stack), undefined);
  isAnswered.resolve();
  await stack.finishBackground();
  assertEquals(findReport(stack)?.fields["accepted"], 1);
  assertEquals(findReport(stack)?.fields["requestId"], answer.headers.get("x-request-id"));
});

Deno.test("a call whose run fails at its first poll is 503 with Retry-After, and the run works on", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.send(tenant, { ...text, delayMessage: 60 });
  await letTimePass(stack.admin, 61);
  // The message ends the run.
  const answer = await callDispatchQueue(stack, "maxSeconds=60&maxMessages=1", 1);
  assertEquals([answer.status, answer.headers.get("retry-after")], [503, "1"]);
  const { success, error } = await answer.json();
  assertEquals([success, error], [false, "service_unavailable"]);
  await stack.finishBackground();
  assertEquals(findReport(stack)?.fields["accepted"], 1);
});

Deno.test("when the runtime announces its end, a run claims nothing more and ends what it has begun", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (let index = 0; index < 2; index++) await stack.send(tenant, { ...text, delayMessage: 60 });
  await letTimePass(stack.admin, 61);
  const isAnswered = Promise.withResolvers<void>();
  stack.provider.answer = async (request) => {
    await isAnswered.promise;
    return acceptMessage(request);
  };
  await callDispatchQueue(stack, "maxSeconds=60&maxMessages=10");
  await waitUntil(() => stack.provider.requests.length === 2, { what: "the provider calls" });
  dispatchEvent(new Event(shutdownEvent));
  await stack.send(tenant, { ...text, delayMessage: 0.001 });
  isAnswered.resolve();
  await stack.finishBackground();
  assertEquals(findReport(stack)?.fields["accepted"], 2);
  assertEquals(stack.provider.requests.length, 2);
});

Deno.test("a tenant with any number of due messages at a provider that hangs leaves places to the others, and its own leave later", async () => {
  await using stack = await startMessagingStack();
  const isAnswered = Promise.withResolvers<void>();
  await using hanging = startHttpDouble(async (request) => {
    await isAnswered.promise;
    return acceptMessage(request);
  });
  const stuck = await stack.createTenant({ baseUrl: hanging.baseUrl });
  const other = await stack.createTenant();
  // More than a run has places for.
  const due = 300;
  await delayTexts(stack, stuck, due);
  await letTimePass(stack.admin, 61);
  await callDispatchQueue(stack, "maxSeconds=120");
  const hasNone = async (claimed: boolean): Promise<boolean> => {
    const left = await stack.admin`
      select from messaging.message_queue q
      where q.instance_id = ${stuck.instanceId} and (q.claim_token is not null) = ${claimed}
        and (q.claim_token is not null or q.visible_at <= clock_timestamp())
      limit 1`;
    return left.length === 0;
  };
  await waitUntil(() => hasNone(false), { what: "the others' turn" });
  assert(hanging.requests.length < 75, `${hanging.requests.length} calls`);
  await stack.send(other, { ...text, delayMessage: 0.001 });
  await waitUntil(() => stack.provider.requests.length === 1, { what: "the other's message" });
  isAnswered.resolve();
  await waitUntil(() => hasNone(true), { what: "the outcome of the stuck calls" });
  await letTimePass(stack.admin, 10);
  await waitUntil(() => hanging.requests.length === due, { what: "the stuck messages" });
  dispatchEvent(new Event(shutdownEvent));
  await stack.finishBackground();
  assertEquals(findReport(stack)?.fields["accepted"], due + 1);
});

Deno.test("a database that cannot be reached is 503 with Retry-After, and sends nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const app = createSendMessageApp(withFailures(stack, "accept_message", 1));
  const answer = await callApp(app, "/send-message", {
    method: "POST",
    headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
    body: JSON.stringify({ ...text, instanceId: tenant.instanceId }),
  });
  assertEquals([answer.status, (await answer.json()).error], [503, "service_unavailable"]);
  assertEquals(answer.headers.get("retry-after"), "1");
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("an instance that was forgotten is woken by the next run, which says so in the log", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await delayNextSlot(stack.admin, tenant.instanceId, 60);
  await stack.send(tenant, { ...text, queued: true });
  await letTimePass(stack.admin, 61);
  await stack.admin`update messaging.dispatch set next_due_at = 'infinity'`;
  const report = await stack.dispatch();
  assertEquals([report.woken, report.accepted], [1, 1]);
  assert(
    stack.logLines.some(({ event, level }) =>
      event === "stalled_instances_rescued" && level === "error"
    ),
  );
});

Deno.test("a run takes no more messages than it may, and leaves the rest to the next", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (let index = 0; index < 5; index++) await stack.send(tenant, { ...text, delayMessage: 60 });
  await letTimePass(stack.admin, 61);
  assertEquals((await stack.dispatchOnce({ maxMessages: 3 })).accepted, 3);
  assertEquals((await stack.dispatchOnce({ maxMessages: 3 })).accepted, 2);
  assertEquals(stack.provider.requests.length, 5);
});

const deliverAgentReply = (): Promise<never> => Promise.reject(new Error("no reply is expected"));

/** Stores messages that are due in a minute, in one statement. */
async function delayTexts(
  { admin }: MessagingStack,
  { instanceId }: { readonly instanceId: string },
  count: number,
): Promise<void> {
  const request = JSON.stringify({
    ...{ instanceId, phone: text.phone, idempotency: null, assignment: null },
    message: { messageType: "text", message: "Olá" },
    delivery: { queued: false, delaySeconds: 60, intervalSeconds: 30, leaseSeconds: 35 },
  });
  await admin`
    select public.accept_message(${request}::text::jsonb) from generate_series(1, ${count})`;
}

/** Calls dispatch-queue, whose run fails at its first polls. */
async function callDispatchQueue(
  stack: MessagingStack,
  query: string,
  failureCount = 0,
): Promise<Response> {
  const app = createDispatchQueueApp({
    ...withFailures(stack, "claim_due_messages", failureCount),
    deliverAgentReply,
    dispatcherKeys: { default: secretKey },
  });
  return await callApp(app, `/dispatch-queue?${query}`, {
    method: "POST",
    headers: { apikey: secretKey },
  });
}

function findReport(stack: MessagingStack): LogLine | undefined {
  return stack.logLines.find(({ event }) => event === "dispatch_completed");
}

/** The stack's services with a database that is unreachable for the first calls of one function. */
function withFailures(
  stack: MessagingStack,
  functionName: RpcName,
  failureCount: number,
): MessagingStack["services"] {
  let failuresLeft = failureCount;
  const database: Database = {
    rpc: (name, request) => {
      if (name === functionName && failuresLeft-- > 0) {
        return Promise.reject(
          new AppError("service_unavailable", { headers: { "Retry-After": "1" } }),
        );
      }
      return stack.database.rpc(name, request);
    },
    close: () => Promise.resolve(),
  };
  return { ...stack.services, database };
}
