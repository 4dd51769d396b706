import { assert, assertEquals, assertFalse, assertMatch } from "../../support/assert.ts";
import { startWebhookClient } from "./webhook_client.ts";

const unknownId = "00000000-0000-4000-8000-000000000000";

Deno.test("an endpoint is created with its secret, which no other answer, row or log line holds", async () => {
  await using client = await startWebhookClient();
  const { url } = client.receiver;
  const created = await client.call("POST", "/endpoints", {
    url,
    types: ["message.sent", "message.sent", "agent.paused"],
    description: " CRM ",
  });
  assertEquals(created.status, 201);
  const { secret, success, ...record } = created.body;
  assertEquals(success, true);
  assertMatch(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assertEquals(record.types, ["message.sent", "agent.paused"]);
  assertEquals([record.url, record.description, record.isActive], [url, "CRM", true]);

  const { endpointId } = record;
  const read = await client.call("GET", `/endpoints/${endpointId}`);
  assertEquals(read.body, { success: true, ...record });
  const listed = await client.call("GET", "/endpoints");
  assertEquals(listed.body, { success: true, items: [record], nextCursor: null });
  const rows = await client.stack.admin`select * from messaging.event_endpoints`;
  assertFalse(JSON.stringify([...rows, ...client.stack.logLines]).includes(secret.slice(6)));
});

Deno.test("a repeated call with its key returns the same endpoint and the same secret", async () => {
  await using client = await startWebhookClient();
  const options = { headers: { "Idempotency-Key": "endpoint-1" } };
  const body = { url: client.receiver.url };
  const first = await client.call("POST", "/endpoints", body, options);
  const second = await client.call("POST", "/endpoints", body, options);
  assertEquals(second.body, first.body);
  assertEquals([second.status, second.headers.get("idempotent-replayed")], [201, "true"]);
  const [{ count } = {}] = await client.stack.admin`
    select count(*)::integer as count from messaging.event_endpoints`;
  assertEquals(count, 1);
});

Deno.test("an instance has at most 10 endpoints, however many are asked for at once", async () => {
  await using client = await startWebhookClient();
  const answers = await Promise.all(
    Array.from(
      { length: 14 },
      () => client.call("POST", "/endpoints", { url: client.receiver.url }),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assertEquals(statuses, [...Array(10).fill(201), ...Array(4).fill(409)]);
  const refused = answers.find(({ status }) => status === 409);
  assertEquals(refused?.body.error, "too_many_endpoints");
  const created = answers.find(({ status }) => status === 201);
  await client.call("DELETE", `/endpoints/${created?.body.endpointId}`);
  assertEquals((await client.call("POST", "/endpoints", { url: client.receiver.url })).status, 201);
});

Deno.test("unknown types, wrong URLs and wrong numbers are refused, and nothing is stored", async () => {
  await using client = await startWebhookClient();
  const { url } = client.receiver;
  const bodies = [
    {},
    { url: 7 },
    { url: "" },
    { url: "ftp://127.0.0.1/" },
    { url: "//127.0.0.1/" },
    { url: "http://user:secret@127.0.0.1/" },
    { url: `http://127.0.0.1/${"x".repeat(2_048)}` },
    { url, types: [] },
    { url, types: ["message.flown"] },
    { url, types: "message.sent" },
    { url, description: "x".repeat(201) },
    { url, description: "a\u0000b" },
  ];
  for (const body of bodies) {
    const refused = await client.call("POST", "/endpoints", body);
    assertEquals(
      [refused.status, refused.body.error],
      [400, "invalid_request"],
      JSON.stringify(body),
    );
    assert(refused.body.issues.length > 0);
  }
  const { body: wrong } = await client.call("POST", "/endpoints", {
    url,
    types: ["message.flown"],
  });
  assertMatch(wrong.issues[0].message, /not message\.flown; there are message\.received, /);
  const { endpointId } = await client.createEndpoint();
  for (const gracePeriodSeconds of [-1, 604_801, "soon"]) {
    const path = `/endpoints/${endpointId}/rotate-secret`;
    assertEquals((await client.call("POST", path, { gracePeriodSeconds })).status, 400);
  }
  for (
    const body of [{}, { since: "yesterday" }, { since: "2026-11-23" }, {
      since: "2026-11-23T10:00:00Z",
      until: "2026-11-22T10:00:00Z",
    }, { since: "2026-11-23T10:00:00Z", types: ["x"] }]
  ) {
    assertEquals((await client.call("POST", `/endpoints/${endpointId}/replay`, body)).status, 400);
  }
  assertEquals(
    (await client.call("GET", `/endpoints/${endpointId}/deliveries?status=x`)).status,
    400,
  );
  assertEquals((await client.call("GET", "/endpoints?cursor=zzz")).status, 400);
  assertEquals((await client.call("GET", "/endpoints")).body.items.length, 1);
});

Deno.test("null is as not given, and an empty description removes it", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint({ types: null, description: null });
  const changed = { url: null, types: ["agent.paused"], description: "CRM", isActive: null };
  const first = await client.call("PATCH", `/endpoints/${endpointId}`, changed);
  assertEquals(
    [first.status, first.body.url, first.body.types, first.body.description, first.body.isActive],
    [200, client.receiver.url, ["agent.paused"], "CRM", true],
  );
  const second = await client.call("PATCH", `/endpoints/${endpointId}`, { description: "" });
  assertEquals([second.body.description, second.body.types], [null, ["agent.paused"]]);
  assert(Date.parse(second.body.updatedAt) > Date.parse(second.body.createdAt));
});

Deno.test("another tenant's endpoint and delivery are as unknown as any", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint();
  await client.record(1);
  await client.stack.dispatch();
  const [delivery] = await client.deliveries(endpointId);
  const other = await client.stack.createTenant();
  const calls = (endpoint: string, deliveryId: string) =>
    [
      ["GET", `/endpoints/${endpoint}`],
      ["PATCH", `/endpoints/${endpoint}`, { isActive: false }],
      ["DELETE", `/endpoints/${endpoint}`],
      ["POST", `/endpoints/${endpoint}/rotate-secret`, {}],
      ["POST", `/endpoints/${endpoint}/test`],
      ["GET", `/endpoints/${endpoint}/deliveries`],
      ["POST", `/endpoints/${endpoint}/replay`, { since: "2026-11-01T00:00:00Z" }],
      ["POST", `/deliveries/${deliveryId}/resend`],
    ] as const;
  const foreign = calls(endpointId, delivery.deliveryId);
  const unknown = calls(unknownId, unknownId);
  const malformed = calls("1", "1");
  for (const [index, [method, path, body]] of foreign.entries()) {
    const refused = await client.call(method, path, body, { tenant: other });
    assertEquals(refused.status, 404, path);
    for (const other_ of [unknown, malformed]) {
      const [, otherPath = ""] = other_[index] ?? [];
      assertEquals((await client.call(method, otherPath, body)).body, refused.body, path);
    }
  }
  assertEquals((await client.call("GET", `/endpoints/${endpointId}`)).body.isActive, true);
  const named = await client.call("GET", `/endpoints?instanceId=${other.instanceId}`);
  assertEquals([named.status, named.body.error], [404, "Instance not found"]);
  const posted = { url: client.receiver.url, instanceId: other.instanceId };
  assertEquals((await client.call("POST", "/endpoints", posted)).status, 404);
  assertEquals(
    (await client.call("GET", "/endpoints", undefined, { tenant: other })).body.items,
    [],
  );
});

Deno.test("a call that needs no field takes a body that names the instance, or an empty one", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint();
  await client.record(1);
  await client.stack.dispatch();
  const [{ deliveryId }] = await client.deliveries(endpointId);
  const received = client.receiver.calls.length;
  const other = await client.stack.createTenant();
  const paths = [
    `/endpoints/${endpointId}/test`,
    `/endpoints/${endpointId}/rotate-secret`,
    `/deliveries/${deliveryId}/resend`,
  ];
  for (const path of paths) {
    const foreign = await client.call("POST", path, { instanceId: other.instanceId });
    assertEquals([foreign.status, foreign.body.error], [404, "Instance not found"], path);
  }
  assertEquals(client.receiver.calls.length, received, "nothing is sent");
  for (const path of paths) {
    const own = await client.call("POST", path, { instanceId: client.tenant.embedKey, x: 1 });
    assertEquals([own.status, own.body.ignoredFields], [200, ["x"]], path);
    if (path.endsWith("/rotate-secret")) await client.letTimePass(86_401);
    const headers = { "Content-Type": "application/json" };
    const empty = await client.call("POST", path, undefined, { headers });
    assertEquals(empty.status, 200, `${path}: what a client sends that always names the type`);
    const named = await client.call("POST", `${path}?instanceId=${other.instanceId}`);
    assertEquals(named.status, 404, path);
  }
});

Deno.test("deleting an endpoint deletes its deliveries, and the next run of the dispatcher the rows", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint();
  await client.record(3);
  await client.stack.dispatch();
  const [delivery] = await client.deliveries(endpointId);
  assertEquals((await client.call("DELETE", `/endpoints/${endpointId}`)).status, 200);
  assertEquals((await client.call("GET", `/endpoints/${endpointId}`)).status, 404);
  assertEquals((await client.call("DELETE", `/endpoints/${endpointId}`)).status, 404);
  assertEquals(
    (await client.call("POST", `/deliveries/${delivery.deliveryId}/resend`)).status,
    404,
  );
  await client.stack.dispatch();
  const left = await client.stack.admin`
    select id from messaging.event_deliveries union all select id from messaging.event_endpoints`;
  assertEquals(left.length, 0);
});

Deno.test("pages of endpoints and of deliveries hold each once", async () => {
  await using client = await startWebhookClient();
  for (let place = 1; place <= 5; place++) await client.createEndpoint({ description: `${place}` });
  const names: string[] = [];
  let cursor = "";
  do {
    const { body } = await client.call("GET", `/endpoints?limit=2${cursor}`);
    names.push(...body.items.map((item: { description: string }) => item.description));
    cursor = body.nextCursor === null ? "" : `&cursor=${body.nextCursor}`;
  } while (cursor !== "");
  assertEquals(names, ["1", "2", "3", "4", "5"]);

  await client.record(5);
  await client.stack.dispatch();
  const { body: { items: [{ endpointId }] } } = await client.call("GET", "/endpoints?limit=1");
  const events: string[] = [];
  do {
    const { body } = await client.call(
      "GET",
      `/endpoints/${endpointId}/deliveries?limit=2${cursor}`,
    );
    events.push(...body.items.map((item: { eventId: string }) => item.eventId));
    cursor = body.nextCursor === null ? "" : `&cursor=${body.nextCursor}`;
  } while (cursor !== "");
  const feed = await client.call("GET", "/events?after=oldest");
  assertEquals(events, feed.body.items.map((event: { id: string }) => event.id).toReversed());
});
