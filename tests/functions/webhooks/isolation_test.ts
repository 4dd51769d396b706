import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import { shutdownEvent } from "../../../shared/runtime/shutdown.ts";
import { assertEquals, assertLessOrEqual } from "../../support/assert.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { startReceiver, startWebhookClient } from "./webhook_client.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };

Deno.test("thousands of events for a silent endpoint hold up no other endpoint and no message", async () => {
  // The silent calls last as long as the test: after their time-out others would follow.
  using _timeouts = holdTimers(15_000);
  await using client = await startWebhookClient();
  const { stack, tenant, receiver } = client;
  await using silent = startReceiver();
  const held = Promise.withResolvers<Response>();
  silent.answer = () => held.promise;
  await client.createEndpoint({ url: silent.url });
  await stack.admin`
    select messaging.record_event(${tenant.instanceId}::uuid, null, 'agent.paused', '{}')
    from generate_series(1, 3000)`;
  const other = await stack.createTenant();
  await client.createEndpoint({ types: ["message.sent"] }, other);
  await client.createEndpoint({ types: ["message.sent"] });

  const run = runDispatch({
    ...stack.services,
    deliverAgentReply: () => Promise.reject(new Error("no reply is expected")),
  }, { durationMs: 120_000, maxMessages: 10_000 });
  await waitUntil(() => silent.calls.length > 0, { what: "a call of the silent endpoint" });
  for (const sender of [tenant, other]) {
    await stack.send(sender, text);
    await stack.send(sender, { ...text, queued: true, intervalSeconds: 10 });
  }
  await waitUntil(() => stack.provider.requests.length === 4, { what: "the messages" });
  await waitUntil(() => receiver.calls.length === 4, { what: "the other endpoints' events" });
  assertEquals(receiver.calls.map(({ event }) => event.type), Array(4).fill("message.sent"));
  // All that an endpoint gets before the first of its calls is known to be slow.
  assertLessOrEqual(silent.calls.length, 64);
  dispatchEvent(new Event(shutdownEvent));
  held.resolve(new Response(null, { status: 500 }));
  await run;
});
