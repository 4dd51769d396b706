import { assert, assertEquals, assertThrows } from "../../support/assert.ts";
import { startReceiver, startWebhookClient, verify } from "./webhook_client.ts";

Deno.test("an event arrives as the feed has it, signed, and the public package verifies it", async () => {
  await using client = await startWebhookClient();
  const { endpointId, secret } = await client.createEndpoint();
  await client.record(3);
  const report = await client.stack.dispatch();
  assertEquals(report.deliveries, 3);

  const feed = await client.call("GET", "/events?after=oldest");
  const events = client.receiver.calls.map((call) => verify(secret, call));
  assertEquals(bySequence(events), feed.body.items);
  for (const call of client.receiver.calls) {
    assertEquals(call.id, call.event.id);
    assertEquals(call.headers.get("content-type"), "application/json");
    assert(Math.abs(call.timestamp - Date.now() / 1_000) < 60);
    assertThrows(() => verify(secret, { ...call, body: call.body.replace("agent", "egent") }));
  }
  const deliveries = await client.deliveries(endpointId);
  assertEquals(
    deliveries.map((
      { eventId, type, status, nextAttemptAt, attempts },
    ) => [eventId, type, status, nextAttemptAt, attempts.length, attempts[0].status]),
    feed.body.items.map((
      event: { id: string; type: string },
    ) => [event.id, event.type, "delivered", null, 1, 204]),
  );
  await client.stack.dispatch();
  assertEquals(client.receiver.calls.length, 3, "once");
});

Deno.test("an endpoint takes its types and what was recorded after it was made", async () => {
  await using client = await startWebhookClient();
  await client.record(2, "agent.paused");
  await client.createEndpoint({ types: ["agent.resumed"] });
  await client.record(1, "agent.paused");
  await client.record(2, "agent.resumed");
  await client.stack.dispatch();
  const types = client.receiver.calls.map(({ event }) => event.type);
  assertEquals(types, ["agent.resumed", "agent.resumed"]);
});

Deno.test("a failure is tried again by the schedule, with the same body and a new signature", async () => {
  await using client = await startWebhookClient();
  const { endpointId, secret } = await client.createEndpoint();
  client.receiver.answer = () => new Response("out of order", { status: 500 });
  await client.record(1);
  await client.stack.dispatch();

  const pauses = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
  for (const [index, seconds] of pauses.entries()) {
    const [delivery] = await client.deliveries(endpointId);
    assertEquals([delivery.status, delivery.attempts.length], ["pending", index + 1]);
    assertEquals(delivery.attempts[index].answer, "out of order");
    const [{ wait } = {}] = await client.stack.admin`
      select extract(epoch from next_attempt_at - clock_timestamp())::float8 as wait
      from messaging.event_deliveries`;
    // Some of the pause has gone while the test looked.
    assert(wait <= seconds * 1.1 && wait > seconds * 0.9 - 30, `${seconds}: ${wait}`);
    if (seconds > 100) {
      await client.stack.dispatch();
      assertEquals(client.receiver.calls.length, index + 1, "not before");
    }
    await client.letTimePass(seconds * 1.1);
    await client.stack.dispatch();
    assertEquals(client.receiver.calls.length, index + 2);
  }
  const [delivery] = await client.deliveries(endpointId);
  assertEquals([delivery.status, delivery.nextAttemptAt], ["failed", null]);
  assertEquals(delivery.attempts.length, 8);
  // letTimePass moves the event's instant too; nothing else may differ.
  const bodies = new Set(
    client.receiver.calls.map(({ body }) => body.replace(/"timestamp":"[^"]+"/, "")),
  );
  const ids = new Set(client.receiver.calls.map(({ id }) => id));
  assertEquals([bodies.size, ids.size], [1, 1]);
  for (const call of client.receiver.calls) verify(secret, call);
});

Deno.test("jitter spreads the next attempts of what failed at once", async () => {
  await using client = await startWebhookClient();
  client.receiver.answer = () => new Response(null, { status: 500 });
  await client.createEndpoint();
  await client.record(12);
  await client.stack.dispatch({ durationMs: 1_500 });
  const waits = await client.stack.admin<{ wait: number }[]>`
    select extract(epoch from messaging.delivery_pause(2, null))::float8 as wait
    from generate_series(1, 200)`;
  const seconds = waits.map(({ wait }) => wait);
  assert(Math.min(...seconds) >= 270 && Math.max(...seconds) <= 330);
  assert(Math.min(...seconds) < 280 && Math.max(...seconds) > 320);
});

Deno.test("Retry-After is kept to where it is longer, in seconds and as a date, up to a day", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint();
  const cases = [
    { value: "120", least: 120, most: 120 },
    { value: "1", least: 4.5, most: 5.5 },
    { value: "9999999", least: 86_400, most: 86_400 },
    { value: new Date(Date.now() + 600_000).toUTCString(), least: 300, most: 600 },
  ];
  for (const { value, least, most } of cases) {
    client.receiver.answer = () =>
      new Response(null, { status: 503, headers: { "Retry-After": value } });
    await client.record(1);
    const [clock] = await client.stack.admin<{ now: Date }[]>`select clock_timestamp() as now`;
    await client.stack.dispatch();
    const [{ longest, shortest } = {}] = await client.stack.admin`
      select extract(epoch from next_attempt_at - ${clock!.now})::float8 as longest,
        extract(epoch from next_attempt_at - clock_timestamp())::float8 as shortest
      from messaging.event_deliveries order by sequence desc limit 1`;
    // Measured from before the call the pause is long enough; measured from after it, not too long.
    assert(longest >= least && shortest <= most, `${value}: ${longest}, ${shortest}`);
    await client.stack.admin`delete from messaging.event_deliveries`;
  }
  assertEquals(await client.deliveries(endpointId), []);
});

Deno.test("a redirect is a failure and is not followed", async () => {
  await using client = await startWebhookClient();
  await using elsewhere = startReceiver();
  const { endpointId } = await client.createEndpoint();
  client.receiver.answer = () => Response.redirect(elsewhere.url, 302);
  await client.record(1);
  await client.stack.dispatch();
  const [delivery] = await client.deliveries(endpointId);
  assertEquals([delivery.status, delivery.attempts[0].status], ["pending", 302]);
  assertEquals(elsewhere.calls, []);
});

Deno.test("after a rotation both secrets sign until the grace period ends", async () => {
  await using client = await startWebhookClient();
  const { endpointId, secret: first } = await client.createEndpoint();
  const rotate = async (body?: Record<string, number>): Promise<string> => {
    const rotated = await client.call("POST", `/endpoints/${endpointId}/rotate-secret`, body);
    assertEquals(rotated.status, 200);
    return rotated.body.secret;
  };
  const receive = async (): Promise<(secret: string) => boolean> => {
    await client.record(1);
    await client.stack.dispatch();
    const call = client.receiver.calls.at(-1);
    return (secret) => {
      try {
        return verify(secret, call!) !== null;
      } catch {
        return false;
      }
    };
  };

  const second = await rotate();
  const meanwhile = await receive();
  assertEquals([meanwhile(first), meanwhile(second)], [true, true]);
  for (const body of [undefined, { gracePeriodSeconds: 604_800 }]) {
    const again = await client.call("POST", `/endpoints/${endpointId}/rotate-secret`, body);
    assertEquals([again.status, again.body.error], [409, "secret_rotation_pending"]);
  }
  const still = await receive();
  assertEquals([still(first), still(second)], [true, true], "as the first answer promised");
  const readEnd = async (): Promise<string | null> =>
    (await client.call("GET", `/endpoints/${endpointId}`)).body.previousSecretUntil;
  assert(Math.abs(Date.parse(String(await readEnd())) - Date.now() - 86_400_000) < 600_000);
  await client.letTimePass(86_401);
  assertEquals(await readEnd(), null);
  const later = await receive();
  assertEquals([later(first), later(second)], [false, true]);

  const third = await rotate();
  const fourth = await rotate({ gracePeriodSeconds: 0 });
  const atOnce = await receive();
  assertEquals([atOnce(second), atOnce(third), atOnce(fourth)], [false, false, true]);
});

Deno.test("a test event goes out at once, active or not, and is stored with its outcome", async () => {
  await using client = await startWebhookClient();
  await using other = startReceiver();
  const { endpointId, secret } = await client.createEndpoint({ types: ["message.sent"] });
  await client.createEndpoint({ url: other.url });
  const tested = await client.call("POST", `/endpoints/${endpointId}/test`);
  assertEquals([tested.status, tested.body.delivered, tested.body.status], [200, true, 204]);
  assert(Number.isInteger(tested.body.durationMs));
  const [call] = client.receiver.calls;
  assertEquals((verify(secret, call!) as { type: string }).type, "endpoint.test");
  assertEquals(call?.event.data, { endpointId });

  await client.call("PATCH", `/endpoints/${endpointId}`, { isActive: false });
  client.receiver.answer = () => new Response("no", { status: 500 });
  const failed = await client.call("POST", `/endpoints/${endpointId}/test`, {});
  assertEquals([failed.status, failed.body.delivered, failed.body.status], [200, false, 500]);
  await client.stack.dispatch();
  assertEquals(client.receiver.calls.length, 2, "a test is not tried again");
  assertEquals(other.calls, [], "nor sent to another endpoint");
  const deliveries = await client.deliveries(endpointId);
  assertEquals(deliveries.map(({ type, status }) => [type, status]), [
    ["endpoint.test", "delivered"],
    ["endpoint.test", "failed"],
  ]);
  const feed = await client.call("GET", "/events?after=oldest&types=endpoint.test");
  assertEquals(feed.body.items.length, 2);
});

Deno.test("a repeated test with its key is sent once", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint();
  const test = () =>
    client.call("POST", `/endpoints/${endpointId}/test`, {}, {
      headers: { "Idempotency-Key": "test-1" },
    });
  const [first, second] = [await test(), await test()];
  assertEquals([second.body, client.receiver.calls.length], [first.body, 1]);
});

// deno-lint-ignore no-explicit-any -- events
function bySequence(events: any[]): any[] {
  return events.toSorted((a, b) => a.sequence - b.sequence);
}
