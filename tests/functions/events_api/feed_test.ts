import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  type Answer,
  type MessagingStack,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";

const dayInSeconds = 86_400;

Deno.test("the feed begins now, and goes on from its cursor", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await record(stack, tenant, "agent.paused", { number: 1 });
  const now = await readFeed(stack, tenant, "");
  assertEquals([now.status, now.body.items, now.body.hasMore], [200, [], false]);
  await record(stack, tenant, "agent.resumed", { number: 2 });
  const next = await readFeed(stack, tenant, `?after=${now.body.nextCursor}`);
  assertEquals(numbersOf(next), [2]);
  const again = await readFeed(stack, tenant, `?after=${next.body.nextCursor}`);
  assertEquals([again.body.items, again.body.nextCursor], [[], next.body.nextCursor]);
  assertEquals(numbersOf(await readFeed(stack, tenant, "?after=oldest")), [1, 2]);
});

Deno.test("an event has an id, a type, an instant, its instance and a rising sequence", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { body: sent } = await stack.send(tenant, {
    ...{ phone: "5511987654321", messageType: "text", message: "Olá", cardId: "card-1" },
    metadata: { order: "7" },
  });
  const { body } = await readFeed(stack, tenant, "?after=oldest&types=message.sent");
  const [event] = body.items;
  assertMatch(event.id, /^evt_[0-9a-f]{32}$/);
  assertMatch(event.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assertEquals([event.type, event.instanceId], ["message.sent", tenant.instanceId]);
  assert(Number.isInteger(event.sequence));
  const { body: told } = await stack.messages(tenant, "GET", `/messages/${sent.messageId}`);
  const { success: _, ...record } = told;
  assertEquals(record.contact, {
    ...{ contactId: sent.contactId, phone: "5511987654321", name: null },
    ...{ userId: null, username: null, lid: null },
  });
  assertEquals(event.data, record, "what GET messages/{id} answers");
  assertEquals(Object.keys(event), [
    ...["id", "type", "timestamp", "instanceId", "sequence", "data"],
  ]);
  assertEquals(Object.keys(event.data), Object.keys(record), "in the same order");
});

Deno.test("an event tells when a message is due in its instance's time zone, as its record does", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ timeZone: "America/Sao_Paulo" });
  const { body: { messageId } } = await stack.send(tenant, {
    ...{ phone: "5511987654321", messageType: "text", message: "Olá", delayMessage: 60 },
  });
  const canceled = await stack.messages(tenant, "DELETE", `/messages/${messageId}`);
  assertEquals(canceled.status, 200);
  const { body } = await readFeed(stack, tenant, "?after=oldest&types=message.canceled");
  const { body: { success: _, ...record } } = await stack.messages(
    ...[tenant, "GET", `/messages/${messageId}`] as const,
  );
  assertEquals(body.items[0].data, record);
  assertMatch(record.scheduledFor, /-03:00$/);
});

Deno.test("pages follow each other without a gap, and hasMore says when to go on", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (let number = 1; number <= 5; number++) {
    await record(stack, tenant, number % 2 === 1 ? "agent.paused" : "agent.resumed", { number });
  }
  const pages: [number[], boolean][] = [];
  let cursor = "oldest";
  for (let page = 0; page < 3; page++) {
    const answer = await readFeed(stack, tenant, `?after=${cursor}&limit=2`);
    pages.push([numbersOf(answer), answer.body.hasMore]);
    cursor = answer.body.nextCursor;
  }
  assertEquals(pages, [[[1, 2], true], [[3, 4], true], [[5], false]]);
  const odd = await readFeed(stack, tenant, "?after=oldest&limit=3&types=agent.paused");
  assertEquals([numbersOf(odd), odd.body.hasMore], [[1, 3, 5], false]);
});

Deno.test("a call reads a bounded number of events, however few are of its types", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.admin`
    insert into messaging.events (instance_id, type, data)
    select ${tenant.instanceId}, 'agent.paused', '{}' from generate_series(1, 6000)`;
  await record(stack, tenant, "agent.resumed", { number: 1 });
  const first = await readFeed(stack, tenant, "?after=oldest&types=agent.resumed");
  assertEquals([numbersOf(first), first.body.hasMore], [[], true]);
  const second = await readFeed(
    stack,
    tenant,
    `?after=${first.body.nextCursor}&types=agent.resumed`,
  );
  assertEquals([numbersOf(second), second.body.hasMore], [[1], false]);
});

Deno.test("what is no cursor of this instance is refused: forged, cut, foreign", async () => {
  await using stack = await startMessagingStack();
  const [tenant, other] = [await stack.createTenant(), await stack.createTenant()];
  await record(stack, tenant, "agent.paused", { number: 1 });
  await record(stack, other, "agent.paused", { number: 2 });
  const own = (await readFeed(stack, tenant, "?after=oldest")).body.nextCursor;
  const foreign = (await readFeed(stack, other, "?after=oldest")).body.nextCursor;
  const forged = `B${own.slice(1)}`;
  for (const cursor of [foreign, forged, own.slice(0, -1), `${own}A`, "newest", "1", "%00", ""]) {
    const { status, body } = await readFeed(stack, tenant, `?after=${cursor}`);
    assertEquals([status, body.error, body.issues?.[0]?.path], [400, "invalid_request", "after"]);
  }
});

Deno.test("unknown types, limits and waits out of range are refused", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (
    const [query, path] of [
      ["types=message.sent,message.lost", "types"],
      ["types=", "types"],
      ["limit=0", "limit"],
      ["limit=1001", "limit"],
      ["waitSeconds=21", "waitSeconds"],
      ["waitSeconds=-1", "waitSeconds"],
      ["waitSeconds=x", "waitSeconds"],
    ]
  ) {
    const { status, body } = await readFeed(stack, tenant, `?${query}`);
    assertEquals([status, body.error, body.issues[0].path], [400, "invalid_request", path], query);
  }
  const { body: wrong } = await readFeed(stack, tenant, "?types=message.sent,message.lost");
  assertMatch(
    wrong.issues[0].message,
    /^must be types of events, not message\.lost; there are message\.received, .*endpoint\.test$/,
  );
  const { status, body } = await readFeed(stack, tenant, "?instanceId=another");
  assertEquals([status, body.error], [404, "Instance not found"]);
});

Deno.test("events are kept for 30 days; an older cursor is told where the feed begins now", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const start = (await readFeed(stack, tenant, "")).body.nextCursor;
  await record(stack, tenant, "agent.paused", { number: 1 });
  await record(stack, tenant, "agent.paused", { number: 2 });
  const atEnd = (await readFeed(stack, tenant, "?after=oldest")).body.nextCursor;
  await letTimePass(stack.admin, 29 * dayInSeconds);
  await stack.dispatch();
  assertEquals(numbersOf(await readFeed(stack, tenant, `?after=${start}`)), [1, 2]);
  await letTimePass(stack.admin, 1 * dayInSeconds);
  await record(stack, tenant, "agent.paused", { number: 3 });
  await stack.dispatch();
  const gone = await readFeed(stack, tenant, `?after=${start}`);
  assertEquals([gone.status, gone.body.error], [410, "cursor_expired"]);
  const oldest = await readFeed(stack, tenant, `?after=${gone.body.oldestCursor}`);
  assertEquals(numbersOf(oldest), [3]);
  assertEquals(numbersOf(await readFeed(stack, tenant, "?after=oldest")), [3]);
  const nothingMissed = await readFeed(stack, tenant, `?after=${atEnd}`);
  assertEquals(numbersOf(nothingMissed), [3], "a reader that had read all has missed nothing");
});

Deno.test("a waiting reader is answered when something comes, and else with nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const none = await readFeed(stack, tenant, "?waitSeconds=1");
  assertEquals([none.status, none.body.items], [200, []]);
  // From the cursor: on a slow machine a reader that begins now may begin behind the event.
  const waiting = readFeed(stack, tenant, `?after=${none.body.nextCursor}&waitSeconds=20`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await record(stack, tenant, "agent.paused", { number: 1 });
  assertEquals(numbersOf(await waiting), [1]);
});

Deno.test("ten readers of a token wait, a further one is told when to ask again or gets what is there, and those of others wait", async () => {
  await using stack = await startMessagingStack();
  const [tenant, other] = [await stack.createTenant(), await stack.createTenant()];
  const answered: Answer[] = [];
  const wait = async (of: Tenant): Promise<void> => {
    answered.push(await readFeed(stack, of, "?after=oldest&waitSeconds=20"));
  };
  const waiting = [...Array.from({ length: 11 }, () => wait(tenant)), wait(other)];
  await waitUntil(() => answered.length > 0, { what: "the reader that is one too many" });
  const [first] = answered;
  assertEquals([first?.status, first?.body.error, first?.headers.get("Retry-After")], [
    ...[429, "rate_limited", "10"],
  ]);
  const short = await readFeed(stack, tenant, "?after=oldest");
  assertEquals(
    [short.status, short.body.items],
    [200, []],
    "who does not ask to wait is no reader",
  );
  for (const each of [tenant, other]) await record(stack, each, "agent.paused", { number: 1 });
  await Promise.all(waiting);
  assertEquals(answered.slice(1).map(numbersOf), Array(11).fill([1]));
  const next = `?after=${short.body.nextCursor}&waitSeconds=20`;
  assertEquals(numbersOf(await readFeed(stack, tenant, next)), [1]);
});

Deno.test("a waiting reader ends when its client goes", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const client = new AbortController();
  let isOver = false;
  const waiting = stack.request("/events-api/events?waitSeconds=20", {
    headers: { "X-Client-Token": tenant.token },
    signal: client.signal,
  }).then(() => isOver = true);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assertEquals(isOver, false);
  client.abort();
  await waitUntil(() => isOver, { timeoutMs: 15_000, what: "the end of the reader" });
  await waiting;
});

Deno.test("a longer text is cut, and the event says so and stays below 20,000 bytes", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const letter of ["x", "ç", "\u0001", '"', "😀"]) {
    await stack.admin`
      select messaging.record_event(
        ${tenant.instanceId}::uuid, null, 'message.received',
        ${stack.admin.json({ message: letter.repeat(30_000), metadata: { note: "kept" } })}
      )`;
  }
  const { body } = await readFeed(stack, tenant, "?after=oldest");
  for (const event of body.items) {
    const bytes = new TextEncoder().encode(JSON.stringify(event)).length;
    assert(bytes <= 20_000 && bytes > 19_000, `${bytes} bytes`);
    assertEquals([event.data.isTruncated, event.data.metadata.note], [true, "kept"]);
  }
});

function readFeed(stack: MessagingStack, tenant: Tenant, query: string): Promise<Answer> {
  return stack.request(`/events-api/events${query}`, {
    headers: { "X-Client-Token": tenant.token },
  });
}

function numbersOf({ body }: Answer): number[] {
  return body.items.map(({ data }: { data: { number: number } }) => data.number);
}

async function record(
  stack: MessagingStack,
  tenant: Tenant,
  type: string,
  data: Record<string, number>,
): Promise<void> {
  await stack.admin`
    select messaging.record_event(
      ${tenant.instanceId}::uuid, null, ${type}, ${stack.admin.json(data)}
    )`;
}
