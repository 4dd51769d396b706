import { startWebhookClient, type WebhookClient } from "../functions/webhooks/webhook_client.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { type FunctionProcess, startFunctionProcess } from "../support/stack/function_process.ts";
import { waitUntil } from "../support/wait_until.ts";

Deno.test("a dispatcher killed among its calls loses nothing: what it held is sent after the lease", async () => {
  await using testDatabase = await createTestDatabase();
  await using client = await startWebhookClient({ testDatabase });
  const { endpointId } = await client.createEndpoint();
  await client.record(30);
  const held = Promise.withResolvers<Response>();
  client.receiver.answer = () =>
    client.receiver.calls.length <= 10 ? new Response(null, { status: 204 }) : held.promise;
  await using dispatcher = await startDispatcher(testDatabase.url);
  await using cron = startDispatchCron(dispatcher.url);
  await waitUntil(() => client.receiver.calls.length === 30, { what: "all calls under way" });
  await dispatcher.kill();
  held.resolve(new Response(null, { status: 204 }));
  await cron.stop();

  client.receiver.answer = () => new Response(null, { status: 204 });
  // Puts the end of the lease a minute off, so that a slow machine does not outlive it.
  await client.letTimePass(-60);
  await client.stack.dispatch();
  assertEquals(client.receiver.calls.length, 30, "claimed until the lease ends");
  await client.letTimePass(91);
  await client.stack.dispatch();
  const again = client.receiver.calls.slice(30).map(({ id }) => id);
  assert(again.length >= 20 && again.length <= 30, String(again.length));
  assertEquals(new Set(again).size, again.length);
  assertEquals(new Set(client.receiver.calls.map(({ id }) => id)).size, 30);
  const deliveries = await client.deliveries(endpointId, "?status=delivered&limit=100");
  assertEquals(deliveries.length, 30);
  await client.stack.dispatch();
  assertEquals(client.receiver.calls.length, 30 + again.length);
});

Deno.test("dispatchers side by side send each event to each endpoint once", async () => {
  await using testDatabase = await createTestDatabase();
  await using client = await startWebhookClient({ testDatabase });
  const endpoints = [await client.createEndpoint(), await client.createEndpoint()];
  client.receiver.answer = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return new Response(null, { status: 204 });
  };
  await using first = await startDispatcher(testDatabase.url);
  await using second = await startDispatcher(testDatabase.url);
  await using _firstCron = startDispatchCron(first.url, 2);
  await using _secondCron = startDispatchCron(second.url, 2);
  await recordMany(client, 300);
  await waitUntil(() => client.receiver.calls.length >= 600, { what: "all events" });
  for (const { endpointId } of endpoints) {
    await waitUntil(
      async () => (await client.deliveries(endpointId, "?status=pending")).length === 0,
      { what: "the last outcome" },
    );
  }
  assertEquals(client.receiver.calls.length, 600);
  assertEquals(new Set(client.receiver.calls.map(({ id }) => id)).size, 300);
  const [attempts] = await client.stack.admin`
    select count(*)::int as deliveries, sum(jsonb_array_length(attempts))::int as attempts
    from messaging.event_deliveries`;
  assertEquals({ ...attempts }, { deliveries: 600, attempts: 600 });
});

function startDispatcher(databaseUrl: string): Promise<FunctionProcess> {
  return startFunctionProcess({
    slug: "dispatch-queue",
    databaseUrl,
    environment: { ALLOW_PRIVATE_HOSTS: "true" },
  });
}

async function recordMany({ stack, tenant }: WebhookClient, count: number): Promise<void> {
  await stack.admin`
    select messaging.record_event(${tenant.instanceId}::uuid, null, 'agent.paused', '{}')
    from generate_series(1, ${count}::int)`;
}
