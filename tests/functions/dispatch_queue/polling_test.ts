import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import { createSendMessageApp } from "../../../functions/send-message/app.ts";
import type { Database } from "../../../shared/database/database.ts";
import type { RpcName } from "../../../shared/database/rpcs.ts";
import { maxSleepMs, onWakeUp, wakeDispatcher } from "../../../shared/messages/wake_up.ts";
import { shutdownEvent } from "../../../shared/runtime/shutdown.ts";
import { assertEquals, assertGreaterOrEqual, assertLessOrEqual } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };

Deno.test("a run ends when its runtime announces its end, and finishes what it has claimed", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.send(tenant, { ...text, delayMessage: 60 });
  await letTimePass(stack.admin, 61);
  const held = Promise.withResolvers<void>();
  stack.provider.answer = async (request) => {
    await held.promise;
    return acceptMessage(request);
  };
  let hasEnded = false;
  let claiming = 0;
  const database = replaceRpc(stack, async (name, answer) => {
    if (name !== "claim_due_messages") return await answer();
    claiming += 1;
    return await answer().finally(() => claiming -= 1);
  });
  const run = runDispatch({ ...stack.services, database, deliverAgentReply }, {
    durationMs: 180_000,
    maxMessages: 10,
  });
  run.finally(() => hasEnded = true);
  await waitUntil(() => stack.provider.requests.length === 1, { what: "the provider call" });
  await stack.send(tenant, { ...text, delayMessage: 60 });
  dispatchEvent(new Event(shutdownEvent));
  await waitUntil(() => claiming === 0, { what: "the end of a claim under way" });
  await letTimePass(stack.admin, 61);
  held.resolve();
  await waitUntil(() => hasEnded, { what: "the end of the run" });
  assertEquals((await run).accepted, 1);
  assertEquals(stack.provider.requests.length, 1, "nothing more was claimed");
  assertEquals((await stack.dispatch()).accepted, 1, "a later run is not concerned");
});

Deno.test("a sleeping run polls when a message of its process asks for it", async () => {
  await using stack = await startMessagingStack();
  // Its sleeps do not end by themselves: whatever polls it makes, it was woken for.
  using _sleeps = holdTimers(maxSleepMs);
  const hang = setTimeout(() => dispatchEvent(new Event(shutdownEvent)), 60_000);
  const limits = { durationMs: 600_000, nextDueInMs: null, stopAfter: 60 };
  const polls = await countPolls(stack, limits, { afterPoll: wakeDispatcher })
    .finally(() => clearTimeout(hang));
  assertEquals(polls, 60);
});

Deno.test("a run polls at the due time that a poll has told, however near it is", async () => {
  await using stack = await startMessagingStack();
  const startTimer = globalThis.setTimeout;
  const sleeps: number[] = [];
  globalThis.setTimeout = ((task: () => void, ms = 0) => {
    sleeps.push(ms);
    return startTimer(task, ms);
  }) as typeof setTimeout;
  try {
    const limits = { durationMs: 60_000, nextDueInMs: 0.5, stopAfter: 250 };
    assertEquals(await countPolls(stack, limits), 250);
  } finally {
    globalThis.setTimeout = startTimer;
  }
  // Other timers bound calls of the database, and are seconds long.
  assertEquals(sleeps.filter((ms) => ms > 0.5 && ms <= maxSleepMs), []);
  assertGreaterOrEqual(sleeps.filter((ms) => ms === 0.5).length, 240);
});

Deno.test("a run does not spin while another worker has locked what is due", async () => {
  await using stack = await startMessagingStack();
  const limits = { durationMs: 500, nextDueInMs: 0, stopAfter: Infinity };
  // 1, 2, 4, 8 and 16 ms, then 20 ms each.
  assertLessOrEqual(await countPolls(stack, limits), 5 + 500 / 20);
});

Deno.test("an accepted message wakes the dispatcher if it is due before the next poll, and else does not", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  let woken = 0;
  const end = onWakeUp(() => woken += 1);
  const accept = async (scheduledInMs: number): Promise<number> => {
    const scheduledFor = new Date(Date.now() + scheduledInMs).toISOString();
    const database = replaceRpc(stack, async (name, answer) => {
      const result = await answer();
      return name === "accept_message"
        ? { ...result as object, scheduledFor, heldBy: "interval" }
        : result;
    });
    woken = 0;
    const app = createSendMessageApp({ ...stack.services, database });
    const answer = await callApp(app, "/send-message", {
      method: "POST",
      headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
      body: JSON.stringify({ ...text, instanceId: tenant.instanceId, queued: true }),
    });
    assertEquals(answer.status, 200);
    return woken;
  };
  try {
    assertEquals(await accept(maxSleepMs / 2), 1);
    assertEquals(await accept(60_000), 0);
  } finally {
    end();
  }
});

Deno.test("messages leave while maintenance is under way", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  let passes = 0;
  const database = replaceRpc(stack, async (name, answer) => {
    if (name === "expire_claims" && ++passes === 2) {
      await stack.send(tenant, { ...text, delayMessage: 60 });
      await letTimePass(stack.admin, 61);
      await waitUntil(() => stack.provider.requests.length === 1, { what: "the provider call" });
      dispatchEvent(new Event(shutdownEvent));
    }
    return await answer();
  });
  const report = await runDispatch({ ...stack.services, database, deliverAgentReply }, {
    durationMs: 180_000,
    maxMessages: 10,
  });
  assertEquals([report.accepted, passes], [1, 2]);
  assertEquals(stack.logLines.filter(({ level }) => level === "error"), []);
});

/** How often a run polls a queue in which it never finds anything, until it is over or stopped. */
async function countPolls(
  stack: MessagingStack,
  { durationMs, nextDueInMs, stopAfter }: {
    durationMs: number;
    nextDueInMs: number | null;
    stopAfter: number;
  },
  { afterPoll = (): void => {} } = {},
): Promise<number> {
  let polls = 0;
  const database = replaceRpc(stack, (name, answer) => {
    if (name !== "claim_due_messages") return answer();
    polls += 1;
    setTimeout(afterPoll);
    if (polls === stopAfter) dispatchEvent(new Event(shutdownEvent));
    return Promise.resolve({ messages: [], nextDueInMs, isOutboxDue: false });
  });
  const services = { ...stack.services, database, deliverAgentReply };
  await runDispatch(services, { durationMs, maxMessages: 10 });
  return polls;
}

/** The stack's database with other answers. */
function replaceRpc(
  stack: MessagingStack,
  replace: (name: RpcName, answer: () => Promise<unknown>) => Promise<unknown>,
): Database {
  const rpc = (name: RpcName, request: never): Promise<unknown> =>
    replace(name, () => stack.database.rpc(name, request));
  return { rpc: rpc as Database["rpc"], close: () => Promise.resolve() };
}

const deliverAgentReply = (): Promise<never> => Promise.reject(new Error("no reply is expected"));
