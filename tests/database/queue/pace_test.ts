/** Official instances with a pace: what leaves when, many messages in flight at once. */

import type { Sql } from "postgres";
import {
  assert,
  assertEquals,
  assertGreaterOrEqual,
  assertLess,
  assertLessOrEqual,
} from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction, enqueueText, settleClaim } from "../../support/database/queue_calls.ts";
import { openSessions } from "../../support/database/sessions.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { createPacedTenant, setPace } from "../../support/fixtures/paced_tenant.ts";
import { protect } from "../../support/fixtures/protected_tenant.ts";
import { findMiddayZone } from "../../support/midday_zone.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";

interface Claim {
  readonly messageId: string;
  readonly claimToken: string;
  readonly message: string;
}

interface Group {
  readonly messages: readonly Claim[];
  readonly departuresInMs: Readonly<Record<string, number>>;
  readonly messagesPerSecond: number | null;
}

function claimGroup(sql: Sql, instanceId: string, maxMessages = 400): Promise<Group> {
  return callFunction(sql, "claim_message_group", { instanceId, maxMessages, leaseSeconds: 30 });
}

interface ClaimOfAll {
  readonly messages: readonly (Claim & { readonly instanceId: string })[];
  readonly groups: readonly string[] | null;
}

function claimOfAll(sql: Sql): Promise<ClaimOfAll> {
  return callFunction(sql, "claim_due_messages", { maxMessages: 10, leaseSeconds: 30 });
}

/** Queues messages without an interval of their own, each to another person. */
async function queue(
  sql: Sql,
  instanceId: string,
  count: number,
  options: { intervalSeconds?: number | null; phone?: string } = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const { messageId } = await enqueueText(sql, instanceId, {
      intervalSeconds: null,
      message: String(number),
      phone: `55119${String(80_000_000 + number)}`,
      ...options,
    });
    ids.push(messageId);
  }
  return ids;
}

/** The planned departures of what is in flight, in microseconds by the database's clock. */
async function readDepartures(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ id: string; at: string }[]>`
    select message_id as id, (extract(epoch from departs_at) * 1000000)::bigint::text as at
    from messaging.message_queue where departs_at is not null`;
  return new Map(rows.map(({ id, at }) => [id, Number(at)]));
}

async function settleAll(sql: Sql, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  await callFunction(sql, "settle_messages", {
    results: claims.map(({ messageId, claimToken }) => ({
      ...{ messageId, claimToken },
      ...{ outcome: "accepted", providerMessageId: `wamid.${messageId}` },
    })),
  });
}

/**
 * Claims and settles until nothing waits. `steps` are the seconds between the claims, in turn.
 * @returns the departures in microseconds, as if no time had been skipped.
 */
async function drain(sql: Sql, instanceId: string, steps: readonly number[]): Promise<number[]> {
  const departures: number[] = [];
  let skipped = 0;
  for (let round = 0; await countWaiting(sql) > 0; round += 1) {
    assert(round < 400, "it stands still");
    const { messages } = await claimGroup(sql, instanceId);
    for (const at of (await readDepartures(sql)).values()) departures.push(at + skipped);
    await settleAll(sql, messages);
    const seconds = steps[round % steps.length] ?? 0;
    await letTimePass(sql, seconds);
    skipped += seconds * 1_000_000;
  }
  return departures.sort((one, other) => one - other);
}

async function countWaiting(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from messaging.message_queue`;
  return row?.count ?? 0;
}

async function readHealth(sql: Sql, instanceId: string): Promise<Record<string, unknown>> {
  return await callFunction(sql, "get_instance_health", { instanceId });
}

async function withPace(
  messagesPerSecond: number,
  work: (admin: Sql, instanceId: string, database: TestDatabase) => Promise<void>,
  timeZone?: string,
): Promise<void> {
  await using database = await createTestDatabase();
  const options = timeZone === undefined ? {} : { timeZone };
  const tenant = await createPacedTenant(database.admin, messagesPerSecond, options);
  await work(database.admin, tenant.instanceId, database);
}

for (const messagesPerSecond of [1, 7, 80]) {
  Deno.test(`of a backlog at ${messagesPerSecond} a second no second has more departures, however the claims fall`, async () => {
    await withPace(messagesPerSecond, async (admin, instanceId) => {
      const count = Math.min(messagesPerSecond * 4, 200);
      await queue(admin, instanceId, count);
      await letTimePass(admin, 3_600);
      const departures = await drain(admin, instanceId, [0.1, 0.25, 0, 0.6, 1.7, 0.02]);
      assertEquals(departures.length, count);
      for (const [place, at] of departures.entries()) {
        const later = departures[place + messagesPerSecond];
        if (later !== undefined) assertGreaterOrEqual(later - at, 1_000_000, String(place));
      }
    });
  });
}

Deno.test("slots lie as far apart as the pace says, and none has more than a second's worth", async () => {
  await withPace(7, async (admin, instanceId) => {
    await queue(admin, instanceId, 15);
    const rows = await admin<{ at: string }[]>`
      select (extract(epoch from scheduled_at) * 1000000)::bigint::text as at
      from messaging.message_queue order by scheduled_at, position`;
    const slots = rows.map(({ at }) => Number(at));
    for (const [place, at] of slots.entries()) {
      const next = slots[place + 1];
      if (next !== undefined) assertGreaterOrEqual(next - at, 142_858);
    }
    await setPace(admin, instanceId, null);
    await queue(admin, instanceId, 1);
    const [last] = await admin<{ gap: number }[]>`
      select extract(epoch from max(scheduled_at) - (
        select q.scheduled_at from messaging.message_queue q order by q.scheduled_at desc offset 1 limit 1
      ))::float8 as gap from messaging.message_queue`;
    assertEquals(last?.gap, 30, "without a pace the specification's interval holds");
  });
});

Deno.test("many messages are in flight at once, each with a claim of its own, and none twice", async () => {
  await withPace(80, async (admin, instanceId) => {
    const ids = await queue(admin, instanceId, 60);
    await letTimePass(admin, 60);
    const first = await claimGroup(admin, instanceId);
    await letTimePass(admin, 1);
    const second = await claimGroup(admin, instanceId);
    const claimed = [...first.messages, ...second.messages].map(({ messageId }) => messageId);
    assertGreaterOrEqual(claimed.length, 60);
    assertEquals(claimed, ids, "in order");
    assertEquals((await readHealth(admin, instanceId))["inFlight"], 60);
    await settleAll(admin, [...second.messages, ...first.messages]);
    assertEquals(await countWaiting(admin), 0);
  });
});

Deno.test("a claim of all hands out nothing of an instance with a pace, and names it", async () => {
  await withPace(80, async (admin, instanceId) => {
    await queue(admin, instanceId, 2);
    const other = await createTenant(admin);
    await enqueueText(admin, other.instanceId, {});
    await letTimePass(admin, 60);
    const before = await readClock(admin);
    const claim = await claimOfAll(admin);
    const after = await readClock(admin);
    assertEquals(claim.messages.map((message) => message.instanceId), [other.instanceId]);
    assertEquals(claim.groups, [instanceId]);
    const dueAt = await readDueTime(admin, instanceId);
    assertGreaterOrEqual(dueAt, before + 100_000, "it is left to the claim that follows");
    assertLessOrEqual(dueAt, after + 100_000, "which may not have come");
    await moveDueTime(admin, instanceId, 3_600);
    assertEquals((await claimOfAll(admin)).groups ?? null, null, "until then it is not named");
    await moveDueTime(admin, instanceId, -7_200);
    assertEquals((await claimOfAll(admin)).groups, [instanceId]);
  });
});

/** The database's clock, in microseconds. */
async function readClock(sql: Sql): Promise<number> {
  const [row] = await sql<{ now: string }[]>`
    select (extract(epoch from clock_timestamp()) * 1000000)::bigint::text as now`;
  return Number(row?.now);
}

/** When an instance is looked at next, in microseconds by the database's clock. */
async function readDueTime(sql: Sql, instanceId: string): Promise<number> {
  const [row] = await sql<{ at: string }[]>`
    select (extract(epoch from next_due_at) * 1000000)::bigint::text as at
    from messaging.dispatch where instance_id = ${instanceId}`;
  return Number(row?.at);
}

/** Moves it alone: what happens before it must not depend on how fast the test's calls follow. */
async function moveDueTime(sql: Sql, instanceId: string, seconds: number): Promise<void> {
  await sql`
    update messaging.dispatch set next_due_at = next_due_at + make_interval(secs => ${seconds})
    where instance_id = ${instanceId}`;
}

Deno.test("of one person only one message is in flight, in order, and others pass", async () => {
  await withPace(80, async (admin, instanceId) => {
    const phone = "5511980000000";
    const mine: string[] = [];
    for (const _ of [1, 2, 3]) mine.push(...await queue(admin, instanceId, 1, { phone }));
    const [other] = await queue(admin, instanceId, 1, { phone: "5511990000000" });
    await letTimePass(admin, 60);
    const left: string[] = [];
    for (const expected of [[mine[0], other], [mine[1]], [mine[2]]]) {
      const { messages } = await claimGroup(admin, instanceId);
      assertEquals(messages.map(({ messageId }) => messageId), expected);
      await letTimePass(admin, 1);
      assertEquals((await claimGroup(admin, instanceId)).messages, [], "until it is settled");
      await settleAll(admin, messages);
      left.push(...messages.map(({ messageId }) => messageId));
      await letTimePass(admin, 1);
    }
    assertEquals(left.length, 4);
  });
});

Deno.test("a refusal for speed halves the pace for a minute, holds nothing, and is told", async () => {
  const refusals = [["130429", "instance"], ["80007", "instance"], ["131056", "recipient"]];
  for (const [code, scope] of refusals) {
    await withPace(80, async (admin, instanceId) => {
      await queue(admin, instanceId, 70);
      await letTimePass(admin, 60);
      const { messages: [refused, ...others] } = await claimGroup(admin, instanceId, 5);
      assert(refused);
      await settleAll(admin, others);
      const before = await readClock(admin);
      await settleClaim(admin, refused, {
        ...{ outcome: "rejected", scope, retryable: true },
        error: { code, message: "too fast", meaning: "too_fast" },
      });
      const after = await readClock(admin);
      const health = await readHealth(admin, instanceId);
      assertEquals(health["status"], "ok", code);
      const { slowedUntil, ...pace } = health["pace"] as { slowedUntil: string };
      assertEquals(pace, { messagesPerSecond: 80, current: 40 });
      // It is shown in whole milliseconds.
      assertGreaterOrEqual(Date.parse(slowedUntil), Math.floor(before / 1_000) + 60_000);
      assertLessOrEqual(Date.parse(slowedUntil), Math.ceil(after / 1_000) + 60_000);
      await letTimePass(admin, 5);
      assertEquals(await gapsOf(admin, instanceId), 25_000, code);
      await letTimePass(admin, 60);
      assertEquals(await gapsOf(admin, instanceId), 12_500, "after a minute");
      const { pace: later } = await readHealth(admin, instanceId);
      assertEquals(later, { messagesPerSecond: 80, current: 80, slowedUntil: null });
    });
  }
});

/** Claims a group and settles it. @returns the one distance between its departures, in microseconds. */
async function gapsOf(sql: Sql, instanceId: string): Promise<number | undefined> {
  const { messages } = await claimGroup(sql, instanceId);
  const at = [...(await readDepartures(sql)).values()].sort((one, other) => one - other);
  const gaps = new Set(at.slice(1).map((later, place) => later - (at[place] ?? 0)));
  await settleAll(sql, messages);
  assertEquals(gaps.size, 1, [...gaps].join());
  return [...gaps][0];
}

Deno.test("a message that was refused comes back into the queue, and leaves when its wait is over", async () => {
  await withPace(80, async (admin, instanceId) => {
    await queue(admin, instanceId, 1);
    const outcomes = [
      { outcome: "rejected", scope: "message", retryable: true, error: { code: "x" } },
      {
        outcome: "rejected",
        scope: "message",
        retryable: true,
        isUnsent: true,
        error: { code: "y" },
      },
    ];
    for (const outcome of outcomes) {
      await letTimePass(admin, 60);
      const { messages: [claim] } = await claimGroup(admin, instanceId);
      assert(claim);
      await settleClaim(admin, claim, outcome);
      const [row] = await admin<{ lane: string; due: boolean }[]>`
        select q.lane, isfinite(d.next_due_at) as due
        from messaging.message_queue q
        join messaging.dispatch d on d.instance_id = q.instance_id
        where q.claim_token is null and q.departs_at is null`;
      assertEquals(row, { lane: "paced", due: true });
    }
    await letTimePass(admin, 60);
    assertEquals((await claimGroup(admin, instanceId)).messages.length, 1);
  });
});

Deno.test("a worker that dies leaves its messages unconfirmed, never sent twice, and the others go on", async () => {
  await withPace(80, async (admin, instanceId) => {
    await queue(admin, instanceId, 30);
    await letTimePass(admin, 60);
    const { messages: lost } = await claimGroup(admin, instanceId, 10);
    await letTimePass(admin, 20);
    assertEquals(await callFunction(admin, "expire_claims", { maxMessages: 100 }), { expired: 0 });
    await letTimePass(admin, 20);
    assertEquals(await callFunction(admin, "expire_claims", { maxMessages: 100 }), { expired: 10 });
    const rest = await claimGroup(admin, instanceId);
    assertEquals(rest.messages.map(({ message }) => message).at(0), "10");
    const lostIds = new Set(lost.map(({ messageId }) => messageId));
    assert(rest.messages.every(({ messageId }) => !lostIds.has(messageId)));
    await settleAll(admin, rest.messages);
    const [states] = await admin<{ unconfirmed: number }[]>`
      select count(*) filter (where status = 'unconfirmed')::int as unconfirmed
      from messaging.messages`;
    assertEquals(states?.unconfirmed, 10);
  });
});

Deno.test("what the window's end cuts off waits for the next one", async () => {
  await withPace(80, async (admin, instanceId) => {
    await queue(admin, instanceId, 40);
    await letTimePass(admin, 60);
    const closesAt = await admin.begin(async (transaction) => {
      const [row] = await transaction<{ at: string }[]>`
        update messaging.instances i
        set window_end = (clock_timestamp() at time zone i.time_zone)::time + interval '100 ms'
        where id = ${instanceId}
        returning (extract(epoch from (
          (clock_timestamp() at time zone i.time_zone)::date + i.window_end
        ) at time zone i.time_zone) * 1000000)::bigint::text as at`;
      await claimGroup(transaction as unknown as Sql, instanceId);
      return Number(row?.at);
    });
    for (const at of (await readDepartures(admin)).values()) assertLess(at, closesAt);
    await waitUntil(async () => await readClock(admin) > closesAt, { what: "the window's end" });
    assertEquals((await claimGroup(admin, instanceId)).messages, []);
    const [dispatch] = await admin<{ hours: number }[]>`
      select extract(epoch from next_due_at - now())::float8 / 3600 as hours
      from messaging.dispatch where instance_id = ${instanceId}`;
    assertGreaterOrEqual(dispatch?.hours ?? 0, 1, "midnight, where it is noon now");
  }, findMiddayZone());
});

Deno.test("no day has more departures than its limit, immediate ones included", async () => {
  await withPace(80, async (admin, instanceId) => {
    await protect(admin, instanceId, { dailyLimit: 25 });
    await queue(admin, instanceId, 40);
    // A further limit than was promised.
    await protect(admin, instanceId, { dailyLimit: 20 });
    await letTimePass(admin, 60);
    let left = 0;
    for (let round = 0; round < 6; round += 1) {
      const { messages } = await claimGroup(admin, instanceId);
      await settleAll(admin, messages);
      left += messages.length;
      await letTimePass(admin, 6);
      await callFunction(admin, "move_waiting_slots", {});
    }
    assertEquals(left, 20);
  }, findMiddayZone());
});

Deno.test("what is held does not leave, and goes on at the pace", async () => {
  await withPace(80, async (admin, instanceId) => {
    await queue(admin, instanceId, 40);
    await letTimePass(admin, 60);
    await callFunction(admin, "hold_queue", { instanceId, reason: "a test", idempotency: null });
    assertEquals((await claimGroup(admin, instanceId)).messages, []);
    await letTimePass(admin, 60);
    await callFunction(admin, "release_queue", { instanceId, idempotency: null });
    assertEquals(await gapsOf(admin, instanceId), 12_500);
  });
});

Deno.test("a message with an interval of its own keeps it, behind what leaves at the pace", async () => {
  await withPace(80, async (admin, instanceId) => {
    await queue(admin, instanceId, 5);
    await queue(admin, instanceId, 1, { intervalSeconds: 300, phone: "5511990000000" });
    await letTimePass(admin, 600);
    assertEquals((await claimGroup(admin, instanceId)).messages.length, 5);
    await letTimePass(admin, 150);
    assertEquals((await claimGroup(admin, instanceId)).messages, []);
    await letTimePass(admin, 151);
    assertEquals((await claimGroup(admin, instanceId)).messages.length, 1);
  });
});

Deno.test("at most two seconds' worth is in flight, whatever the provider does", async () => {
  await withPace(20, async (admin, instanceId) => {
    await queue(admin, instanceId, 60);
    await letTimePass(admin, 60);
    let claimed = 0;
    for (let round = 0; round < 10; round += 1) {
      claimed += (await claimGroup(admin, instanceId)).messages.length;
      await letTimePass(admin, 1);
    }
    assertEquals(claimed, 40);
  });
});

Deno.test("a message that is being queued while a group is claimed wakes the instance", async () => {
  await withPace(80, async (admin, instanceId, database) => {
    await queue(admin, instanceId, 1);
    await letTimePass(admin, 60);
    const enqueuing = await database.connect();
    const isQueued = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const committed = enqueuing.begin(async (transaction) => {
      await queue(transaction as unknown as Sql, instanceId, 1, { phone: "5511990000000" });
      isQueued.resolve();
      await mayCommit.promise;
    });
    await isQueued.promise;
    // Behind the first message, it has not touched the due time.
    await settleAll(admin, (await claimGroup(admin, instanceId)).messages);
    mayCommit.resolve();
    await committed;
    await letTimePass(admin, 1);
    assertEquals((await claimOfAll(admin)).groups, [instanceId]);
    assertEquals((await claimGroup(admin, instanceId)).messages.length, 1);
  });
});

Deno.test("a pace that is taken away leaves what waits to the specification's interval", async () => {
  await withPace(80, async (admin, instanceId) => {
    await queue(admin, instanceId, 3);
    await letTimePass(admin, 60);
    await settleAll(admin, (await claimGroup(admin, instanceId, 1)).messages);
    await setPace(admin, instanceId, null);
    assertEquals((await claimGroup(admin, instanceId)).messages, []);
    await letTimePass(admin, 10);
    assertEquals((await claimOfAll(admin)).messages, []);
    await letTimePass(admin, 21);
    const { messages } = await claimOfAll(admin);
    assertEquals(messages.map(({ message }) => message), ["1"]);
    await settleAll(admin, messages);
    assertEquals((await claimOfAll(admin)).messages, []);
  });
});

Deno.test("what has expired at its departure is ended, and the others leave", async () => {
  await withPace(80, async (admin, instanceId) => {
    const [expiring] = await queue(admin, instanceId, 3);
    await admin`
      update messaging.messages set expires_at = now() + interval '30 seconds'
      where id = ${expiring ?? null}`;
    await letTimePass(admin, 60);
    assertEquals((await claimGroup(admin, instanceId)).messages.length, 2);
    const [row] = await admin`select status from messaging.messages where id = ${expiring ?? null}`;
    assertEquals(row?.["status"], "expired");
  });
});

Deno.test("what has left is settled beside a batch that is queueing its next messages", async () => {
  await withPace(80, async (admin, instanceId, database) => {
    await queue(admin, instanceId, 2);
    await letTimePass(admin, 60);
    const { messages } = await claimGroup(admin, instanceId);
    const { one, two } = await openSessions(database);
    await one.unsafe("begin");
    await one`select from messaging.pacing where instance_id = ${instanceId} for update`;
    await two.unsafe("set lock_timeout = '5s'");
    // The answer shows an address: of most people it is the first one of the day.
    const results = messages.map(({ messageId, claimToken }, place) => ({
      ...{ messageId, claimToken, outcome: "accepted", providerMessageId: `wamid.${messageId}` },
      waId: `55119${80_000_000 + place}`,
    }));
    const { settled } = await callFunction<{ settled: string[] }>(two, "settle_messages", {
      results,
    });
    assertEquals(settled.length, 2);
    await one.unsafe("rollback");
  });
});
