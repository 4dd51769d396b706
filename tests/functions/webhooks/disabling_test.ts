import { assert, assertEquals, assertFalse, assertMatch } from "../../support/assert.ts";
import type { Answer } from "../../support/stack/messaging_stack.ts";
import { startWebhookClient, type WebhookClient } from "./webhook_client.ts";

const day = 86_400;

async function readEndpoint(client: WebhookClient, endpointId: string): Promise<unknown[]> {
  const { body } = await client.call("GET", `/endpoints/${endpointId}`);
  return [body.isActive, body.disabledReason];
}

async function setAlertEmail(client: WebhookClient): Promise<void> {
  await client.stack.admin`update messaging.workspaces set alert_email = 'ops@example.com'`;
}

Deno.test("410 disables at once: an event, an e-mail, and nothing more is sent", async () => {
  await using client = await startWebhookClient();
  await setAlertEmail(client);
  const { endpointId } = await client.createEndpoint({
    url: `${client.receiver.url}?token=hidden`,
  });
  client.receiver.answer = () => new Response(null, { status: 410 });
  await client.record(1);
  await client.stack.dispatch();
  assertEquals(await readEndpoint(client, endpointId), [false, "gone"]);
  await client.record(2);
  await client.stack.dispatch();
  assertEquals(client.receiver.calls.length, 1);

  const feed = await client.call("GET", "/events?after=oldest&types=endpoint.disabled");
  assertEquals(feed.body.items.map((event: { data: unknown }) => event.data), [
    { endpointId, reason: "gone" },
  ]);
  const [email, ...more] = client.stack.mail.requests;
  assertEquals([email?.json["to"], more], ["ops@example.com", []]);
  assertMatch(String(email?.json["subject"]), /Webhook desativado/);
  assertFalse(JSON.stringify(email?.json).includes("hidden"), "the URL may hold a secret");
  const [delivery] = await client.deliveries(endpointId);
  assertEquals([delivery.status, delivery.attempts[0].status], ["failed", 410]);
});

Deno.test("nothing but failures for 5 days disables, and ends what waits", async () => {
  await using client = await startWebhookClient();
  await setAlertEmail(client);
  const { endpointId } = await client.createEndpoint();
  client.receiver.answer = () => new Response(null, { status: 500 });
  await client.record(1);
  await client.stack.dispatch();
  await client.letTimePass(5 * day - 3_600);
  await client.record(1);
  await client.stack.dispatch();
  assertEquals(await readEndpoint(client, endpointId), [true, null]);
  await client.letTimePass(2 * 3_600);
  await client.stack.dispatch();
  assertEquals(await readEndpoint(client, endpointId), [false, "failing"]);
  const deliveries = await client.deliveries(endpointId);
  assertEquals(deliveries.map(({ status }) => status), ["failed", "failed"]);
  await client.stack.dispatch();
  assertEquals(client.stack.mail.requests.length, 1);
});

Deno.test("one success within the 5 days keeps the endpoint", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint();
  const failing = (): Response => new Response(null, { status: 500 });
  client.receiver.answer = failing;
  await client.record(1);
  await client.stack.dispatch();
  await client.letTimePass(3 * day);
  client.receiver.answer = () => new Response("ok");
  await client.stack.dispatch();
  client.receiver.answer = failing;
  await client.record(1);
  await client.stack.dispatch();
  await client.letTimePass(3 * day);
  await client.record(1);
  await client.stack.dispatch();
  assertEquals(await readEndpoint(client, endpointId), [true, null]);
});

Deno.test("a workspace without an alert address gets no e-mail", async () => {
  await using client = await startWebhookClient();
  await client.createEndpoint();
  client.receiver.answer = () => new Response(null, { status: 410 });
  await client.record(1);
  await client.stack.dispatch();
  await client.stack.dispatch();
  assertEquals(client.stack.mail.requests, []);
});

Deno.test("an endpoint that is active again takes what is recorded from then on, a replay brings the rest", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint();
  const since = new Date(Date.now() - 60_000).toISOString();
  await client.call("PATCH", `/endpoints/${endpointId}`, { isActive: false });
  await client.record(3);
  const refused = await client.call("POST", `/endpoints/${endpointId}/replay`, { since });
  assertEquals([refused.status, refused.body.error], [409, "endpoint_not_active"]);
  const active = await client.call("PATCH", `/endpoints/${endpointId}`, { isActive: true });
  assertEquals(
    [active.body.isActive, active.body.disabledReason, active.body.disabledAt],
    [true, null, null],
  );
  await client.record(1, "agent.resumed");
  await client.stack.dispatch();
  assertEquals(client.receiver.calls.map(({ event }) => event.type), ["agent.resumed"]);

  const replayed = await client.call("POST", `/endpoints/${endpointId}/replay`, {
    since,
    types: ["agent.paused"],
  });
  assertEquals([replayed.status, replayed.body], [202, { success: true, count: 3 }]);
  await client.stack.dispatch();
  const paused = client.receiver.calls.filter(({ event }) => event.type === "agent.paused");
  assertEquals(paused.map(({ event }) => event.data.place).sort(), [1, 2, 3]);
});

Deno.test("a replay counts the events of its time that the endpoint takes, and sends each of them", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint({ types: ["agent.paused"] });
  await client.record(4, "agent.paused");
  await client.record(4, "agent.resumed");
  await client.stack.dispatch();
  await client.stack.admin`
    update messaging.events set recorded_at = recorded_at - interval '1 hour'`;
  await client.record(2, "agent.paused");
  await client.stack.dispatch();
  assertEquals(client.receiver.calls.length, 6);

  const instant = (secondsAgo: number): string =>
    new Date(Date.now() - secondsAgo * 1_000).toISOString();
  const replay = (body: Record<string, unknown>) =>
    client.call("POST", `/endpoints/${endpointId}/replay`, body);
  const first = await replay({ since: instant(7_200), until: instant(1_800) });
  await client.stack.dispatch();
  const counts = [
    first,
    await replay({ since: instant(1_800) }),
  ].map(({ body }) => body.count);
  await client.stack.dispatch();
  await client.stack.dispatch();
  counts.push((await replay({ since: instant(7_200), types: ["agent.resumed"] })).body.count);
  counts.push((await replay({ since: "2999-01-01T00:00:00Z" })).body.count);
  assertEquals(counts, [4, 2, 0, 0]);
  assertEquals(client.receiver.calls.length, 12);
  const sequences = client.receiver.calls.map(({ event }) => event.sequence);
  assertEquals(new Set(sequences).size, 6, "the same events, with the same ids");
});

Deno.test("one replay of an endpoint waits at a time, also of two that are asked for together", async () => {
  await using client = await startWebhookClient();
  const [one, other] = [await client.createEndpoint(), await client.createEndpoint()];
  await client.record(3);
  await client.stack.dispatch();
  const since = new Date(Date.now() - 60_000).toISOString();
  const replay = (endpointId: string): Promise<Answer> =>
    client.call("POST", `/endpoints/${endpointId}/replay`, { since });
  const answers = await Promise.all(Array.from({ length: 5 }, () => replay(one.endpointId)));
  const codes = answers.map(({ status, body }) => `${status} ${body.error ?? body.count}`).sort();
  assertEquals(codes, ["202 3", ...Array(4).fill("409 replay_pending")]);
  assertEquals((await replay(other.endpointId)).status, 202);
  await client.stack.dispatch();
  assertEquals((await replay(one.endpointId)).status, 202);
  await client.call("PATCH", `/endpoints/${one.endpointId}`, { isActive: false });
  await client.call("PATCH", `/endpoints/${one.endpointId}`, { isActive: true });
  assertEquals((await replay(one.endpointId)).status, 202, "a deactivated endpoint waits for none");
});

Deno.test("a long replay is made batch by batch, and nothing is left out", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint();
  await client.stack.admin`
    select messaging.record_event(
      ${client.tenant.instanceId}::uuid, null, 'agent.paused', jsonb_build_object('place', n)
    ) from generate_series(1, 1300) n`;
  await client.stack.admin`
    update messaging.event_endpoints set told_through = (select max(sequence) from messaging.events)`;
  const replayed = await client.call("POST", `/endpoints/${endpointId}/replay`, {
    since: "2000-01-01T00:00:00Z",
  });
  assertEquals(replayed.body.count, 1_300);
  const hasWaiting = async (): Promise<boolean> => {
    const waiting = await client.stack.admin`
      select endpoint_id from messaging.event_replays
      union all
      select endpoint_id from messaging.event_deliveries where next_attempt_at is not null`;
    return waiting.length > 0;
  };
  // Of a slow machine's runs some deliver little.
  for (let runs = 0; runs < 100 && await hasWaiting(); runs++) {
    await client.stack.dispatchOnce({ durationMs: 1_000, maxMessages: 5_000 });
  }
  const places = new Set(client.receiver.calls.map(({ event }) => event.data.place));
  assertEquals([places.size, client.receiver.calls.length], [1_300, 1_300]);
});

Deno.test("a delivery is sent again on demand, failed or delivered, and starts its schedule anew", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint();
  await client.record(1);
  await client.stack.dispatch();
  const [{ deliveryId }] = await client.deliveries(endpointId);
  client.receiver.answer = () => new Response(null, { status: 500 });
  const resent = await client.call("POST", `/deliveries/${deliveryId}/resend`);
  assertEquals([resent.status, resent.body.deliveryId, resent.body.status], [
    200,
    deliveryId,
    "pending",
  ]);
  await client.stack.dispatch();
  const [delivery] = await client.deliveries(endpointId);
  assertEquals([delivery.status, delivery.attempts.length], ["pending", 2]);
  const [{ tries } = {}] = await client.stack.admin`select tries from messaging.event_deliveries`;
  assertEquals(tries, 1);
  client.receiver.answer = () => new Response("ok");
  await client.call("POST", `/deliveries/${deliveryId}/resend`, {});
  await client.stack.dispatch();
  assertEquals((await client.deliveries(endpointId))[0].status, "delivered");
  assertEquals(new Set(client.receiver.calls.map(({ body }) => body)).size, 1);

  await client.call("PATCH", `/endpoints/${endpointId}`, { isActive: false });
  const refused = await client.call("POST", `/deliveries/${deliveryId}/resend`);
  assertEquals([refused.status, refused.body.error], [409, "endpoint_not_active"]);
});

Deno.test("deliveries of one status are listed alone", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint();
  await client.record(2);
  await client.stack.dispatch();
  client.receiver.answer = () => new Response(null, { status: 500 });
  await client.record(1);
  await client.stack.dispatch();
  const count = async (status: string): Promise<number> =>
    (await client.deliveries(endpointId, `?status=${status}`)).length;
  assertEquals([await count("delivered"), await count("pending"), await count("failed")], [
    2,
    1,
    0,
  ]);
  const [pending] = await client.deliveries(endpointId, "?status=pending");
  assert(Date.parse(pending.nextAttemptAt) > 0);
});
