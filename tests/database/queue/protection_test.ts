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
import { changeUnfollowed } from "../../support/database/unfollowed_change.ts";
import {
  createProtectedTenant,
  makeKnown,
  protect,
} from "../../support/fixtures/protected_tenant.ts";
import { findMiddayZone } from "../../support/midday_zone.ts";
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

/** Accepts an immediate message, or one that leaves after a delay. */
function sendNow(
  sql: Sql,
  instanceId: string,
  contact: number,
  delaySeconds = 0,
): Promise<{ messageId: string; claimToken: string }> {
  return callFunction(sql, "accept_message", {
    instanceId,
    phone: phoneOf(contact),
    idempotency: null,
    assignment: null,
    message: { messageType: "text", message: "now" },
    delivery: { queued: false, intervalSeconds: 30, delaySeconds, leaseSeconds: 30 },
  });
}

/** Sends an immediate message, which the provider accepts. @returns its id. */
async function sendAtOnce(sql: Sql, instanceId: string, contact: number): Promise<string> {
  const claim = await sendNow(sql, instanceId, contact);
  await settleClaim(sql, claim, { outcome: "accepted", providerMessageId: claim.messageId });
  return claim.messageId;
}

interface Told {
  readonly day: string;
  readonly limit: number | null;
  readonly limitedBy: string | null;
  readonly sent: number;
  readonly waiting: number;
  readonly newContacts: { limit: number; sent: number; waiting: number } | null;
}

/** What an instance's limits are today, and what of them is taken: as health and the queue tell it. */
async function readToday(sql: Sql, instanceId: string): Promise<Told | null> {
  type Telling = { protection: Told | null };
  const health = await callFunction<Telling>(sql, "get_instance_health", { instanceId });
  const queue = await callFunction<Telling>(sql, "list_message_queue", { instanceId, limit: 1 });
  assertEquals(queue.protection, health.protection);
  return health.protection;
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
    // Before it begins a warm-up allows what its first day does.
    for (const [day, allowed] of [...expected.entries(), [-9, expected[0]] as const]) {
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

Deno.test("a day that had no time left has some again for the last one's canceled slot", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { dailyLimit: 50 });
  // Room for three.
  await admin`
    update messaging.instances
    set window_end = (now() at time zone time_zone)::time + interval '150 seconds'`;
  const today = [];
  for (const message of ["a", "b", "c"]) today.push(await enqueue(sql, instanceId, message, 1));
  await enqueue(sql, instanceId, "d", 1);
  assertEquals((await slotsOf(admin, instanceId))["d"], { daysAhead: 1, heldBy: "window" });
  await callFunction(sql, "cancel_message", { instanceId, messageId: today[2]!.messageId });
  const { scheduledFor } = await enqueue(sql, instanceId, "e", 1);
  assertEquals(scheduledFor, today[2]!.scheduledFor);
});

Deno.test("a delayed message that is canceled gives its places of the day back", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const limits = { dailyLimit: 2, newContactsPerDay: 1 };
  const { instanceId } = await createProtectedTenant(admin, limits);
  const { messageId } = await sendNow(sql, instanceId, 1, 60);
  const before = await readToday(sql, instanceId);
  assertEquals([before?.sent, before?.newContacts?.sent], [1, 1]);
  await callFunction(sql, "cancel_message", { instanceId, messageId });
  const after = await readToday(sql, instanceId);
  assertEquals([after?.sent, after?.newContacts?.sent], [0, 0]);
});

Deno.test("a delayed message that is moved takes its place on its other day", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { dailyLimit: 2 });
  // Nothing is known of the present day yet.
  await letTimePass(admin, 86_400);
  const { messageId } = await sendNow(sql, instanceId, 1, 86_400);
  assertEquals(await countsOf(admin, instanceId), [{ day: 1, sent: 1, waiting: 0, waitingNew: 0 }]);
  assertEquals((await readToday(sql, instanceId))?.sent, 0);
  const sendAt = new Date(Date.now() + 60_000).toISOString();
  await callFunction(sql, "move_message", { instanceId, messageId, sendAt, expiresAt: null });
  assertEquals(await countsOf(admin, instanceId), [{ day: 0, sent: 1, waiting: 0, waitingNew: 0 }]);
});

const waysOut: Readonly<
  Record<string, (sql: Sql, instanceId: string, messageId: string) => Promise<unknown>>
> = {
  "expired at its claim": async (sql, _, messageId) => {
    await sql`
      update messaging.messages set expires_at = now() + interval '30 seconds' where id = ${messageId}`;
    await letTimePass(sql, 60);
    assertEquals(await claimMessages(sql), []);
  },
  "was canceled after a restore": (sql, instanceId) =>
    callFunction(sql, "settle_may_have_left", {
      ...{ instanceId, since: new Date(Date.now() + 60_000), until: null, action: "cancel" },
      ...{ maxMessages: 10, idempotency: null },
    }),
  "arrived after all": async (sql, _, messageId) => {
    const [claim] = await claimMessages(sql);
    const error = { code: "busy", message: "busy" };
    await settleClaim(sql, claim!, { outcome: "rejected", retryable: true, error });
    await sql`select messaging.advance_message(${messageId}, 'p', 'delivered', now(), null)`;
  },
};

for (const [way, leave] of Object.entries(waysOut)) {
  Deno.test(`what ${way} gives its place of the day back`, async () => {
    await using database = await createTestDatabase();
    const { admin, sql } = database;
    const { instanceId } = await createProtectedTenant(admin, { dailyLimit: 2 });
    const { messageId } = await enqueue(sql, instanceId, "gone", 1);
    assertEquals((await countsOf(admin, instanceId)).map(({ waiting }) => waiting), [1]);
    await leave(admin, instanceId, messageId);
    const [row] = await admin`select status from messaging.messages where id = ${messageId}`;
    assert(row?.["status"] !== "queued", "it waits no more");
    assertEquals(await countsOf(admin, instanceId), []);
  });
}

Deno.test("health and the queue tell the limits of the day, what sets them, and what of them is taken", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const limits = { dailyLimit: 4, newContactsPerDay: 2 };
  const { instanceId, timeZone } = await createProtectedTenant(admin, limits);
  const [{ day } = { day: "" }] = await admin<{ day: string }[]>`
    select (now() at time zone ${timeZone})::date::text as day`;
  await sendNow(sql, instanceId, 9);
  await makeKnown(admin, instanceId, phoneOf(9));
  await enqueue(sql, instanceId, "known", 9);
  await enqueue(sql, instanceId, "new", 1);
  const told = { day, limit: 4, limitedBy: "daily_limit" };
  assertEquals(await readToday(sql, instanceId), {
    ...{ ...told, sent: 1, waiting: 2, newContacts: { limit: 2, sent: 1, waiting: 1 } },
  });
  // What is overdue takes the next day's places.
  await letTimePass(admin, 86_400);
  assertEquals(await readToday(sql, instanceId), {
    ...{ ...told, sent: 0, waiting: 2, newContacts: { limit: 2, sent: 0, waiting: 1 } },
  });
  for (const contact of [2, 3]) await enqueue(sql, instanceId, `new ${contact}`, contact);
  for (const message of ["fourth", "fifth"]) await enqueue(sql, instanceId, message, 9);
  const { "new 2": second, "new 3": third, fourth, fifth } = await slotsOf(admin, instanceId);
  assertEquals([second?.daysAhead, third, fourth?.daysAhead, fifth], [
    ...[0, { daysAhead: 1, heldBy: "new_contacts" }, 0, { daysAhead: 1, heldBy: "daily_limit" }],
  ]);
  await protect(admin, instanceId, {
    newContactsPerDay: null,
    warmUp: { startPerDay: 3, rampDays: 1, startedAt: day },
  });
  const warmingUp = await readToday(sql, instanceId);
  assertEquals([warmingUp?.limit, warmingUp?.limitedBy, warmingUp?.newContacts], [
    ...[3, "warm_up", null],
  ]);
  await protect(admin, instanceId, { dailyLimit: null, warmUp: null, jitterSeconds: 5 });
  const unlimited = await readToday(sql, instanceId);
  assertEquals([unlimited?.limit, unlimited?.limitedBy], [null, null]);
  await protect(admin, instanceId, null);
  assertEquals(await readToday(sql, instanceId), null);
});

Deno.test("limits that are set during a day count what has left on it, and whom it was the first message to", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin, { timeZone: findMiddayZone() });
  const send = (contact: number): Promise<string> => sendAtOnce(sql, instanceId, contact);
  await send(1);
  await send(1);
  const yesterday = await send(2);
  await send(2);
  const [failed, typed, received] = [await send(3), await send(4), await send(5)];
  await changeUnfollowed(admin, async (sql) => {
    await sql`
      update messaging.messages set sent_at = sent_at - interval '1 day' where id = ${yesterday}`;
    await sql`update messaging.messages set status = 'failed' where id = ${failed}`;
    await sql`update messaging.messages set is_typed_on_phone = true where id = ${typed}`;
    await sql`
      update messaging.messages set direction = 'inbound', status = 'received'
      where id = ${received}`;
  });
  await protect(admin, instanceId, { dailyLimit: 9, newContactsPerDay: 4 });
  const today = await readToday(sql, instanceId);
  assertEquals([today?.sent, today?.newContacts?.sent], [3, 1]);
});

Deno.test("of what waits to somebody new the first message takes a place for new contacts, where these are limited later", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin, { timeZone: findMiddayZone() });
  for (const [message, contact] of [["a", 1], ["a again", 1], ["b", 2], ["known", 9]] as const) {
    await enqueue(sql, instanceId, message, contact);
  }
  await makeKnown(admin, instanceId, phoneOf(9));
  await protect(admin, instanceId, { newContactsPerDay: 1 });
  assertEquals(await slotsOf(admin, instanceId), {
    a: { daysAhead: 0, heldBy: null },
    "a again": { daysAhead: 0, heldBy: "interval" },
    known: { daysAhead: 0, heldBy: "interval" },
    b: { daysAhead: 1, heldBy: "new_contacts" },
  });
  // The maintenance counts the same.
  await callFunction(sql, "purge_expired", { maxRows: 100 });
  assertEquals((await countsOf(admin, instanceId)).map(({ waitingNew }) => waitingNew), [1, 1]);
});

Deno.test("who has written meanwhile needs no place for new contacts where slots are planned anew", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { newContactsPerDay: 1 });
  for (const contact of [1, 2, 3]) await enqueue(sql, instanceId, `new ${contact}`, contact);
  await makeKnown(admin, instanceId, phoneOf(3));
  await letTimePass(admin, 3 * 86_400);
  const [claim] = await claimMessages(sql);
  await settleClaim(sql, claim!, { outcome: "accepted", providerMessageId: "p" });
  await letTimePass(admin, 2 * intervalSeconds);
  assertEquals(await claimMessages(sql), [], "the second has no place of today");
  await callFunction(sql, "move_waiting_slots", {});
  assertEquals((await claimMessages(sql)).map(({ message }) => message), ["new 3"]);
  assertEquals((await slotsOf(admin, instanceId))["new 2"]?.daysAhead, 1);
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
  const limits = { dailyLimit: 5, newContactsPerDay: 2 };
  const { instanceId } = await createProtectedTenant(admin, limits);
  const readTaken = async (): Promise<unknown> => {
    const today = await readToday(sql, instanceId);
    return [today?.sent, today?.waiting, today?.newContacts?.sent, today?.newContacts?.waiting];
  };
  await enqueue(sql, instanceId, "m", 1);
  assertEquals(await readTaken(), [0, 1, 0, 1]);
  const [claim] = await claimMessages(sql);
  assertEquals(await readTaken(), [1, 0, 1, 0]);
  await settleClaim(sql, claim!, {
    outcome: "rejected",
    retryable: true,
    error: { code: "busy", message: "busy" },
  });
  assertEquals(await readTaken(), [0, 1, 0, 1]);
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

Deno.test("a jitter is any whole number of seconds from 0 to the greatest, as its seed says", async () => {
  await using database = await createTestDatabase();
  const jittersOf = async (jitterSeconds: number | null): Promise<number[]> => {
    const rows = await database.admin<{ jitter: number }[]>`
      select distinct messaging.jitter_of(seed::text, ${jitterSeconds}::integer) as jitter
      from generate_series(1, 200) as seed order by jitter`;
    return rows.map(({ jitter }) => jitter);
  };
  assertEquals(await jittersOf(3), [0, 1, 2, 3]);
  assertEquals([await jittersOf(0), await jittersOf(null)], [[0], [0]]);
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
  const { instanceId } = await createProtectedTenant(admin, {
    dailyLimit: 2,
    newContactsPerDay: 2,
  });
  const { messageId } = await enqueue(sql, instanceId, "first", 1);
  await enqueue(sql, instanceId, "second", 2);
  await admin`delete from messaging.messages where id = ${messageId}`;
  await callFunction(sql, "purge_expired", { maxRows: 100 });
  assertEquals(await countsOf(admin, instanceId), [{ day: 0, sent: 0, waiting: 1, waitingNew: 1 }]);
});

Deno.test("a day is kept for a week after it, and longer while something of it waits", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { dailyLimit: 5 });
  await enqueue(sql, instanceId, "overdue", 1);
  await letTimePass(admin, 9 * 86_400);
  await admin`
    insert into messaging.paced_days (instance_id, day, sent)
    select i.id, (now() at time zone i.time_zone)::date - ahead, 3
    from messaging.instances i cross join unnest(array[7, 8]) as ahead`;
  await callFunction(sql, "purge_expired", { maxRows: 100 });
  assertEquals(await countsOf(admin, instanceId), [
    { day: -9, sent: 0, waiting: 1, waitingNew: 0 },
    { day: -7, sent: 3, waiting: 0, waitingNew: 0 },
  ]);
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
