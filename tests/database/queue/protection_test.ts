/** The limits of a number's day: slots, claims, and counts that follow what happens to a message. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  callFunction,
  claimMessages,
  enqueueText,
  settleClaim,
} from "../../support/database/queue_calls.ts";
import { isWaiting, openSessions } from "../../support/database/sessions.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import {
  createProtectedTenant,
  makeKnown,
  protect,
} from "../../support/fixtures/protected_tenant.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";

interface Slot {
  readonly daysAhead: number;
  readonly heldBy: string | null;
}

/** On which day, from today, each of the messages leaves, and why. */
async function slotsOf(admin: Sql, instanceId: string): Promise<Record<string, Slot>> {
  const rows = await admin<{ message: string; daysAhead: number; heldBy: string | null }[]>`
    select m.message, m.held_by as "heldBy",
      (q.scheduled_at at time zone i.time_zone)::date
        - (now() at time zone i.time_zone)::date as "daysAhead"
    from messaging.message_queue q
    join messaging.messages m on m.id = q.message_id
    join messaging.instances i on i.id = q.instance_id
    where q.instance_id = ${instanceId} and q.scheduled_at = m.scheduled_for
    order by q.scheduled_at`;
  return Object.fromEntries(
    rows.map(({ message, daysAhead, heldBy }) => [message, { daysAhead, heldBy }]),
  );
}

interface DayCount {
  readonly day: number;
  readonly sent: number;
  readonly waiting: number;
  readonly waitingNew: number;
}

/** The counts of the days that count anything, from today. */
async function countsOf(admin: Sql, instanceId: string): Promise<readonly DayCount[]> {
  return [
    ...await admin<DayCount[]>`
      select d.day - (now() at time zone i.time_zone)::date as day, d.sent, d.waiting,
        d.waiting_new as "waitingNew"
      from messaging.paced_days d join messaging.instances i on i.id = d.instance_id
      where d.instance_id = ${instanceId} and d.sent + d.waiting > 0
      order by d.day`,
  ].map((row) => ({ ...row }));
}

function phoneOf(number: number): string {
  return `55119876${String(10_000 + number)}`;
}

/** Longer than a slow machine takes between two enqueues. */
const intervalSeconds = 60;

async function enqueue(
  sql: Sql,
  instanceId: string,
  message: string,
  contact: number,
): Promise<{ messageId: string; heldBy: string | null; scheduledFor: string }> {
  const phone = phoneOf(contact);
  return await enqueueText(sql, instanceId, { message, phone, intervalSeconds }) as never;
}

async function sendNow(sql: Sql, instanceId: string, contact: number): Promise<void> {
  await callFunction(sql, "accept_message", {
    instanceId,
    phone: phoneOf(contact),
    idempotency: null,
    assignment: null,
    message: { messageType: "text", message: "now" },
    delivery: { queued: false, intervalSeconds: 30, leaseSeconds: 30 },
  });
}

Deno.test("what exceeds the day's limit leaves on the next day, and says why", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { dailyLimit: 2 });
  for (const number of [0, 1, 2, 3, 4]) await enqueue(sql, instanceId, `m${number}`, 1);
  assertEquals(await slotsOf(admin, instanceId), {
    m0: { daysAhead: 0, heldBy: null },
    m1: { daysAhead: 0, heldBy: "interval" },
    m2: { daysAhead: 1, heldBy: "daily_limit" },
    m3: { daysAhead: 1, heldBy: "daily_limit" },
    m4: { daysAhead: 2, heldBy: "daily_limit" },
  });
});

Deno.test("known contacts pass new ones that wait for tomorrow, and a further message to a new one does not", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { newContactsPerDay: 1 });
  await enqueue(sql, instanceId, "new 1", 1);
  await enqueue(sql, instanceId, "new 2", 2);
  await enqueue(sql, instanceId, "new 2 again", 2);
  await enqueue(sql, instanceId, "new 1 again", 1);
  await sendNow(sql, instanceId, 3);
  await makeKnown(admin, instanceId, phoneOf(3));
  await enqueue(sql, instanceId, "known", 3);
  await enqueue(sql, instanceId, "new 4", 4);
  const slots = await slotsOf(admin, instanceId);
  assertEquals(slots, {
    "new 1": { daysAhead: 0, heldBy: null },
    "new 1 again": { daysAhead: 0, heldBy: "interval" },
    known: { daysAhead: 0, heldBy: "interval" },
    "new 2": { daysAhead: 1, heldBy: "new_contacts" },
    "new 2 again": { daysAhead: 1, heldBy: "new_contacts" },
    "new 4": { daysAhead: 2, heldBy: "new_contacts" },
  });
  assertEquals(Object.keys(slots), [
    ...["new 1", "new 1 again", "known", "new 2", "new 2 again", "new 4"],
  ]);
});

Deno.test("a warm-up allows a part of the target that grows by the day, rounded down", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const cases: readonly [object, readonly (number | null)[]][] = [
    [{ dailyLimit: 10, warmUp: { startPerDay: 1, rampDays: 4 } }, [1, 3, 5, 7, 10, 10]],
    [{ warmUp: { startPerDay: 20, rampDays: 3 } }, [20, 346, 673, 1_000, null]],
    [{ dailyLimit: 7 }, [7, 7]],
  ];
  for (const [settings, expected] of cases) {
    const { daily_limit, start, days } = {
      daily_limit: (settings as { dailyLimit?: number }).dailyLimit ?? null,
      start: (settings as { warmUp?: { startPerDay: number } }).warmUp?.startPerDay ?? null,
      days: (settings as { warmUp?: { rampDays: number } }).warmUp?.rampDays ?? null,
    };
    for (const [day, allowed] of expected.entries()) {
      const [row] = await admin`
        select messaging.day_limit(walk, '2026-11-20'::date + ${day}::integer) as allowed
        from jsonb_populate_record(null::messaging.slot_walk, jsonb_build_object(
          'daily_limit', ${daily_limit}::integer, 'warm_up_start', ${start}::integer,
          'warm_up_days', ${days}::integer, 'warm_up_from', '2026-11-20'
        )) as walk`;
      assertEquals(row?.["allowed"], allowed, `day ${day} of ${JSON.stringify(settings)}`);
    }
  }
  const { instanceId } = await createProtectedTenant(admin, {
    warmUp: { startPerDay: 1, rampDays: 500, startedAt: new Date().toISOString() },
  }).catch(() => ({ instanceId: "" }));
  await enqueue(database.sql, instanceId, "first", 1);
  await enqueue(database.sql, instanceId, "second", 1);
  await enqueue(database.sql, instanceId, "third", 1);
  assertEquals(await slotsOf(admin, instanceId), {
    first: { daysAhead: 0, heldBy: null },
    second: { daysAhead: 1, heldBy: "warm_up" },
    third: { daysAhead: 1, heldBy: "warm_up" },
  }, "the second day allows 1 + 999 / 500 = 2");
});

Deno.test("immediate sends take places of the day and are never held", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { dailyLimit: 2 });
  for (const contact of [1, 2, 3]) await sendNow(sql, instanceId, contact);
  assertEquals(await countsOf(admin, instanceId), [{ day: 0, sent: 3, waiting: 0, waitingNew: 0 }]);
  await enqueue(sql, instanceId, "tomorrow", 1);
  assertEquals((await slotsOf(admin, instanceId))["tomorrow"]?.daysAhead, 1);
});

Deno.test("a canceled message gives its place back", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, {
    dailyLimit: 2,
    newContactsPerDay: 1,
  });
  const first = await enqueue(sql, instanceId, "first", 1);
  const second = await enqueue(sql, instanceId, "second", 2);
  assertEquals((await countsOf(admin, instanceId)).map(({ waitingNew }) => waitingNew), [1, 1]);
  for (const { messageId } of [second, first]) {
    await callFunction(sql, "cancel_message", { instanceId, messageId });
  }
  assertEquals(await countsOf(admin, instanceId), []);
  await enqueue(sql, instanceId, "third", 3);
  assertEquals(await slotsOf(admin, instanceId), { third: { daysAhead: 0, heldBy: null } });
});

Deno.test("a queue that was held over midnight keeps the limit of the day on which it leaves", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { dailyLimit: 2 });
  for (const number of [0, 1, 2, 3, 4]) await enqueue(sql, instanceId, `m${number}`, 1);
  await letTimePass(admin, 86_400);
  const left: string[] = [];
  for (let round = 0; round < 4; round++) {
    for (const claim of await claimMessages(sql)) {
      left.push(claim.message);
      await settleClaim(sql, claim, { outcome: "accepted", providerMessageId: claim.message });
    }
    await letTimePass(admin, 2 * intervalSeconds);
  }
  assertEquals(left, ["m0", "m1"]);
  await callFunction(sql, "move_waiting_slots", {});
  assertEquals(await slotsOf(admin, instanceId), {
    m2: { daysAhead: 1, heldBy: "daily_limit" },
    m3: { daysAhead: 1, heldBy: "daily_limit" },
    m4: { daysAhead: 2, heldBy: "daily_limit" },
  });
  assertEquals(await countsOf(admin, instanceId), [
    { day: 0, sent: 2, waiting: 0, waitingNew: 0 },
    { day: 1, sent: 0, waiting: 2, waitingNew: 0 },
    { day: 2, sent: 0, waiting: 1, waitingNew: 0 },
  ]);
});

Deno.test("a known contact leaves while a new one finds no place at its claim", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { newContactsPerDay: 1 });
  await sendNow(sql, instanceId, 9);
  await admin`delete from messaging.message_queue`;
  await makeKnown(admin, instanceId, phoneOf(9));
  await admin`delete from messaging.paced_days`;
  await enqueue(sql, instanceId, "new", 1);
  await enqueue(sql, instanceId, "known", 9);
  // The place goes to a new contact that is written to at once.
  await sendNow(sql, instanceId, 2);
  await letTimePass(admin, 2 * intervalSeconds);
  assertEquals(await claimMessages(sql), []);
  await callFunction(sql, "move_waiting_slots", {});
  assertEquals((await claimMessages(sql)).map(({ message }) => message), ["known"]);
  assertEquals((await slotsOf(admin, instanceId))["new"], { daysAhead: 1, heldBy: "new_contacts" });
});

Deno.test("a message that is to be tried again counts where it waits", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { dailyLimit: 5 });
  await enqueue(sql, instanceId, "m", 1);
  const [claim] = await claimMessages(sql);
  assertEquals(await countsOf(admin, instanceId), [{ day: 0, sent: 1, waiting: 0, waitingNew: 0 }]);
  await settleClaim(sql, claim!, {
    outcome: "rejected",
    retryable: true,
    error: { code: "busy", message: "busy" },
  });
  assertEquals(await countsOf(admin, instanceId), [{ day: 0, sent: 0, waiting: 1, waitingNew: 0 }]);
});

Deno.test("the jitter lengthens an interval by up to its seconds, and the claim keeps it", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { jitterSeconds: 20 });
  for (let number = 0; number < 25; number++) await enqueue(sql, instanceId, `m${number}`, 1);
  const gaps = await admin<{ gap: number; kept: number }[]>`
    select extract(epoch from scheduled_at - lag(scheduled_at) over (order by scheduled_at))::float
      as gap, interval_seconds as kept
    from messaging.message_queue order by scheduled_at`;
  const [, ...between] = gaps;
  for (const { gap, kept } of between) {
    assertEquals(gap, kept);
    assert(gap >= intervalSeconds && gap <= intervalSeconds + 20, String(gap));
  }
  assert(new Set(between.map(({ gap }) => gap)).size > 3, "they differ");
});

Deno.test("a limit that is set later, or a window, moves what waits to the days that have places", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin, { timeZone: "UTC" });
  const { timeZone } = await createProtectedTenant(admin, {});
  await admin`update messaging.instances set time_zone = ${timeZone} where id = ${instanceId}`;
  for (const number of [0, 1, 2, 3]) await enqueue(sql, instanceId, `m${number}`, number);
  await protect(admin, instanceId, { dailyLimit: 3, newContactsPerDay: 2 });
  assertEquals(await slotsOf(admin, instanceId), {
    m0: { daysAhead: 0, heldBy: null },
    m1: { daysAhead: 0, heldBy: "interval" },
    m2: { daysAhead: 1, heldBy: "new_contacts" },
    m3: { daysAhead: 1, heldBy: "new_contacts" },
  });
  await protect(admin, instanceId, { dailyLimit: 1, newContactsPerDay: null });
  assertEquals((await countsOf(admin, instanceId)).map(({ waiting }) => waiting), [1, 1, 1, 1]);
  await protect(admin, instanceId, null);
  assertEquals(await countsOf(admin, instanceId), []);
  const [row] = await admin`select protection from messaging.instances where id = ${instanceId}`;
  assertEquals(row?.["protection"], null);
});

Deno.test("a message that was deleted with its person gives its place back at the next maintenance", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { dailyLimit: 2 });
  const { messageId } = await enqueue(sql, instanceId, "first", 1);
  await enqueue(sql, instanceId, "second", 2);
  await admin`delete from messaging.messages where id = ${messageId}`;
  await callFunction(sql, "purge_expired", { maxRows: 100 });
  assertEquals(await countsOf(admin, instanceId), [{ day: 0, sent: 0, waiting: 1, waitingNew: 0 }]);
});

Deno.test("two calls at the same time never take the last place of a day twice", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { one, two } = await openSessions(database);
  const { instanceId } = await createProtectedTenant(admin, {
    dailyLimit: 3,
    newContactsPerDay: 2,
  });
  await one.unsafe("begin");
  await enqueue(one, instanceId, "queued", 1);
  const waiting = [sendNow(two, instanceId, 2)];
  await waitUntil(() => isWaiting(admin));
  await one.unsafe("commit");
  await Promise.all(waiting);
  await one.unsafe("begin");
  await sendNow(one, instanceId, 3);
  const late = enqueue(two, instanceId, "late", 4);
  await waitUntil(() => isWaiting(admin));
  await one.unsafe("commit");
  assertEquals((await late).heldBy, "daily_limit");
  assertEquals(await countsOf(admin, instanceId), [
    { day: 0, sent: 2, waiting: 1, waitingNew: 1 },
    { day: 1, sent: 0, waiting: 1, waitingNew: 1 },
  ]);
});

Deno.test("an enqueue that is rolled back counts nothing", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { one, two } = await openSessions(database);
  const { instanceId } = await createProtectedTenant(admin, { dailyLimit: 1 });
  await one.unsafe("begin");
  await enqueue(one, instanceId, "lost", 1);
  const kept = enqueue(two, instanceId, "kept", 2);
  await waitUntil(() => isWaiting(admin));
  await one.unsafe("rollback");
  assertEquals((await kept).heldBy, null);
  assertEquals(await countsOf(admin, instanceId), [{ day: 0, sent: 0, waiting: 1, waitingNew: 0 }]);
});

Deno.test("a claim of a number with limits waits for no enqueue, and is taken after it", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { one, two } = await openSessions(database);
  const { instanceId } = await createProtectedTenant(admin, { dailyLimit: 5 });
  await enqueue(sql, instanceId, "due", 1);
  await one.unsafe("begin");
  await enqueue(one, instanceId, "next", 1);
  assertEquals(await claimMessages(two), []);
  await one.unsafe("commit");
  assertEquals((await claimMessages(two)).map(({ message }) => message), ["due"]);
  assertEquals(await countsOf(admin, instanceId), [{ day: 0, sent: 1, waiting: 1, waitingNew: 0 }]);
});

Deno.test("protection that is set while a call enqueues holds for that call's message too", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { one, two } = await openSessions(database);
  const { instanceId } = await createProtectedTenant(admin, {});
  await enqueue(admin, instanceId, "before", 1);
  await one.unsafe("begin");
  await protect(one, instanceId, { dailyLimit: 1 });
  const during = enqueue(two, instanceId, "during", 1);
  await waitUntil(() => isWaiting(admin));
  await one.unsafe("commit");
  assertEquals((await during).heldBy, "daily_limit");
});
