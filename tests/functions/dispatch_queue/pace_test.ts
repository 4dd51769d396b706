/** Official instances with a pace, from the call that queues to the provider's. */

import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import { shutdownEvent } from "../../../shared/runtime/shutdown.ts";
import { assert, assertEquals, assertGreater, assertGreaterOrEqual } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  listRecipients,
  phoneOf,
  readBatch,
  readRecipients,
} from "../../support/fixtures/batch_calls.ts";
import { setPace } from "../../support/fixtures/paced_tenant.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { cloudPayload, createWebhookClient } from "../provider_webhook/webhook_client.ts";
import { waitUntil } from "../../support/wait_until.ts";

async function createPaced(stack: MessagingStack, messagesPerSecond: number): Promise<Tenant> {
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  await setPace(stack.admin, tenant.instanceId, { messagesPerSecond });
  return tenant;
}

const greeting = { messageType: "text", message: "Oi {{nome}}" };

/** The recipients that the provider was called for, in order. */
const called = (stack: MessagingStack): string[] =>
  stack.provider.requests.filter(({ path }) => path.endsWith("/messages"))
    .map(({ json }) => String(json["to"]));

/**
 * A run that claims until at least `enough` messages are in its hands, and then holds its next claim until it
 * is let go: at whatever pace the machine works, what happens meanwhile happens midway.
 */
function runUntilClaimed(
  stack: MessagingStack,
  enough: number,
): { readonly run: Promise<unknown>; goOn(): void } {
  const held = Promise.withResolvers<void>();
  let claimed = 0;
  const database: MessagingStack["database"] = {
    ...stack.database,
    rpc: async (name, request) => {
      if (name === "claim_message_group" && claimed >= enough) await held.promise;
      const result = await stack.database.rpc(name, request);
      if ("messages" in Object(result)) {
        claimed += (result as unknown as { readonly messages: readonly unknown[] }).messages.length;
      }
      return result;
    },
  };
  const deliverAgentReply = (): Promise<never> => Promise.reject(new Error("no reply is expected"));
  const run = runDispatch({ ...stack.services, database, deliverAgentReply }, untilEnded);
  return { run, goOn: held.resolve };
}

/** A run that its test ends, by the event of the runtime's end. */
const untilEnded = { durationMs: 180_000, maxMessages: 1_000 };

function endRuns(): void {
  dispatchEvent(new Event(shutdownEvent));
}

/** Runs the dispatcher until a condition holds. */
async function dispatchUntil(
  stack: MessagingStack,
  what: string,
  isReached: () => boolean | Promise<boolean>,
): Promise<void> {
  await waitUntil(async () => {
    await stack.dispatch({ durationMs: 500 });
    return await isReached();
  }, { what, intervalMs: 1 });
}

Deno.test("a batch leaves at the pace of its instance, each message once, and finishes", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createPaced(stack, 80);
  const people = 200;
  const batchId = await createBatch(stack, tenant, {
    message: greeting,
    recipients: listRecipients(people),
  });
  let inFlight = 0;
  let most = 0;
  stack.provider.answer = async (request) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    // As long as the channel takes, and the first calls until others have come beside them: a machine may
    // be so slow that each call ends before the next one begins.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await waitUntil(() => most > 5, { timeoutMs: 10_000 }).catch(() => {});
    inFlight -= 1;
    return acceptMessage(request);
  };
  await changeBatch(stack, tenant, batchId, "start");
  const startedAt = performance.now();
  await dispatchUntil(
    stack,
    "the end of the batch",
    async () => (await readBatch(stack, tenant, batchId)).status === "finished",
  );
  assertGreaterOrEqual(performance.now() - startedAt, (people - 80) * 12.5);
  assertEquals(called(stack).length, people);
  assertEquals(new Set(called(stack)).size, people);
  assertGreater(most, 5, "many in flight at once");
  const { counts } = await readBatch(stack, tenant, batchId);
  assertEquals([counts.sent, counts.pending, counts.queued], [people, 0, 0]);
  const slots = (await readRecipients(stack, tenant, batchId))
    .map(({ scheduledFor }) => Date.parse(scheduledFor));
  assertEquals(slots, slots.toSorted((one, other) => one - other), "in the order of the list");
});

Deno.test("a number that sends fast leaves a part of a run's messages to the others", async () => {
  await using stack = await startMessagingStack();
  const [fast, slow] = [await createPaced(stack, 80), await createPaced(stack, 5)];
  const start = async (tenant: Tenant, people: number, first: number): Promise<void> => {
    const recipients = listRecipients(people, first);
    const batchId = await createBatch(stack, tenant, { message: greeting, recipients });
    await changeBatch(stack, tenant, batchId, "start");
  };
  await start(fast, 60, 0);
  await start(slow, 10, 60);
  await stack.dispatchOnce({ durationMs: 3_000, maxMessages: 20 });
  const ofFast = called(stack).filter((phone) => phone < phoneOf(60));
  assertEquals(ofFast.length, 16);
  assertGreater(called(stack).length, ofFast.length);
});

Deno.test("a batch forecasts its slots at the pace, and an interval of its own keeps them apart", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createPaced(stack, 50);
  const dryRun = async (body: Record<string, unknown>): Promise<number[]> => {
    const answer = await callBatches(stack, tenant, "POST", "/batches", {
      message: greeting,
      recipients: listRecipients(3),
      dryRun: true,
      ...body,
    });
    assertEquals(answer.status, 200, JSON.stringify(answer.body));
    const [first = 0, ...later] = answer.body.items.map(
      ({ scheduledFor }: { scheduledFor: string }) => Date.parse(scheduledFor),
    );
    return later.map((at: number) => at - first);
  };
  assertEquals(await dryRun({}), [20, 40]);
  assertEquals(await dryRun({ intervalSeconds: 10 }), [10_000, 20_000]);
});

Deno.test("a batch that is canceled midway sends nothing more than was claimed, and one that is paused goes on", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createPaced(stack, 80);
  const recipients = listRecipients(150);
  for (const action of ["pause", "cancel"] as const) {
    stack.provider.requests.length = 0;
    const batchId = await createBatch(stack, tenant, { message: greeting, recipients });
    await changeBatch(stack, tenant, batchId, "start");
    const { run, goOn } = runUntilClaimed(stack, 10);
    await waitUntil(() => called(stack).length >= 10, { what: "the first messages" });
    const stopped = await changeBatch(stack, tenant, batchId, action);
    assertEquals(stopped.status, action === "pause" ? "paused" : "canceled");
    goOn();
    endRuns();
    await run;
    const { counts } = await readBatch(stack, tenant, batchId);
    assertEquals(called(stack).length, counts.sent, action);
    assert(counts.sent < recipients.length, "it was stopped midway");
    await letTimePass(stack.admin, 5);
    await stack.dispatch({ durationMs: 300 });
    assertEquals(called(stack).length, counts.sent, action);
    if (action === "cancel") continue;
    await changeBatch(stack, tenant, batchId, "resume");
    await dispatchUntil(
      stack,
      "the end of the batch",
      async () => (await readBatch(stack, tenant, batchId)).status === "finished",
    );
    assertEquals(new Set(called(stack)).size, recipients.length);
    assertEquals(called(stack).length, recipients.length);
  }
});

Deno.test("a refusal for speed slows the instance, the message is tried again, and health tells", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createPaced(stack, 80);
  const error = { code: 130429, message: "(#130429) Rate limit hit" };
  stack.provider.answer = () => Response.json({ error }, { status: 429 });
  const sent = await stack.send(tenant, {
    ...{ phone: "5511987654321", messageType: "text", message: "Olá", queued: true },
  });
  const { messageId } = sent.body;
  await dispatchUntil(stack, "the refusal", () => called(stack).length > 0);
  const path = `/health?instanceId=${tenant.instanceId}`;
  const { body } = await stack.messages(tenant, "GET", path);
  assertEquals([body.status, body.pace.messagesPerSecond, body.pace.current], ["ok", 80, 40]);
  assert(body.pace.slowedUntil !== null);
  stack.provider.answer = acceptMessage;
  await letTimePass(stack.admin, 120);
  await dispatchUntil(stack, "the next attempt", () => called(stack).length > 1);
  const after = (await stack.messages(tenant, "GET", path)).body;
  assertEquals(after.pace, { messagesPerSecond: 80, current: 80, slowedUntil: null });
  const message = await stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals([message.body.status, message.body.attempts], ["sent", 2]);
});

Deno.test("a refusal for speed that a status tells slows the instance too", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await setPace(stack.admin, tenant.instanceId, { messagesPerSecond: 80 });
  const sent = await stack.send(tenant, {
    ...{ phone: "5511987654321", messageType: "text", message: "Olá" },
  });
  const status = {
    ...{ id: sent.body.providerMessageId, status: "failed", recipient_id: "5511987654321" },
    timestamp: `${Math.floor(Date.now() / 1_000)}`,
    errors: [{ code: 131056, title: "Pair rate limit hit" }],
  };
  const told = await client.cloud(tenant, cloudPayload({ statuses: [status] }));
  assertEquals(told.status, 200, JSON.stringify(told.body));
  const { body } = await stack.messages(tenant, "GET", `/health?instanceId=${tenant.instanceId}`);
  assertEquals([body.pace.messagesPerSecond, body.pace.current], [80, 40]);
});

Deno.test("nobody waits for an instance with a pace whose channel hangs", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createPaced(stack, 80);
  const neighbour = await stack.createTenant();
  const batchId = await createBatch(stack, tenant, {
    message: greeting,
    recipients: listRecipients(200),
  });
  const mayAnswer = Promise.withResolvers<void>();
  stack.provider.answer = async (request) => {
    if (request.path.endsWith("/messages")) await mayAnswer.promise;
    return acceptMessage(request);
  };
  await changeBatch(stack, tenant, batchId, "start");
  const run = stack.dispatchOnce(untilEnded);
  await waitUntil(() => called(stack).length >= 60, { what: "sixty calls that hang" });
  const sent = await stack.send(neighbour, {
    ...{ phone: "5511987654321", messageType: "text", message: "mine", queued: true },
  });
  await waitUntil(
    async () => {
      const path = `/messages/${sent.body.messageId}`;
      return (await stack.messages(neighbour, "GET", path)).body.status === "sent";
    },
    { what: "the neighbour's message" },
  );
  endRuns();
  mayAnswer.resolve();
  await run;
});
