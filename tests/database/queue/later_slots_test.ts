/** Messages that are queued for an instant of the caller's: what they are promised, and get. */

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
import { createProtectedTenant, makeKnown } from "../../support/fixtures/protected_tenant.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { createSeededRandom } from "../../support/seeded_random.ts";
import { waitUntil } from "../../support/wait_until.ts";

const hour = 3_600_000;

Deno.test("what is queued for random instants is promised slots a pace apart, not before its instant", async () => {
  await using database = await createTestDatabase();
  const { sql } = database;
  for (let seed = 0; seed < 6; seed++) {
    const { instanceId } = await createTenant(database.admin);
    const random = createSeededRandom(seed);
    const base = Date.now() + 24 * hour;
    const slots: { readonly at: number; readonly pace: number }[] = [];
    for (let count = 0; count < 25; count++) {
      const sendAt = base + Math.floor(random.between(0, 40)) * 60_000;
      const pace = [10, 60, 600, 3_600][Math.floor(random.between(0, 4))] ?? 10;
      const at = Date.parse(await enqueueAt(sql, instanceId, sendAt, pace));
      assert(at >= sendAt, `seed ${seed}`);
      slots.push({ at, pace });
    }
    slots.sort((a, b) => a.at - b.at);
    for (const [place, { at, pace }] of slots.entries()) {
      const before = slots[place - 1];
      assert(before === undefined || at - before.at >= pace * 1_000, `seed ${seed}`);
    }
    const now = await enqueueText(sql, instanceId);
    assert(Date.parse(now.scheduledFor) < Date.now() + 1_000, "nothing queued now waits for them");
  }
});

Deno.test("two calls for one instant at the same time are promised different slots", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const { instanceId } = await createTenant(database.admin);
  const sendAt = Date.now() + hour;
  await one.unsafe("begin");
  const first = Date.parse(await enqueueAt(one, instanceId, sendAt, 60));
  const second = enqueueAt(two, instanceId, sendAt, 60);
  await waitUntil(() => isWaiting(database.admin));
  await one.unsafe("commit");
  assertEquals(Date.parse(await second) - first, 60_000);
});

Deno.test("a claim waits for nobody to give slots: whose message or pacing is locked comes next time", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const { instanceId } = await createTenant(database.admin);
  await enqueueAt(database.sql, instanceId, Date.now() + hour, 60);
  await letTimePass(database.admin, 3_600);
  for (const table of ["messages", "pacing"]) {
    await one.unsafe("begin");
    await one.unsafe(`select from messaging.${table} for no key update`);
    assertEquals((await claimMessages(two)).length, 0);
    await one.unsafe("rollback");
  }
  assertEquals((await claimMessages(two)).length, 0, "gives the slot");
  assertEquals((await claimMessages(two)).length, 1);
});

Deno.test("an instant at which the day's limit is reached is moved to the next day, and counted there", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { dailyLimit: 2 });
  for (const pace of [10, 10, 10]) await enqueueAt(sql, instanceId, Date.now() + hour / 2, pace);
  await letTimePass(admin, 1_830);
  for (let sent = 0; sent < 2;) {
    for (const claim of await claimMessages(sql)) {
      await settleClaim(sql, claim, { outcome: "accepted", providerMessageId: `p${sent++}` });
    }
    await letTimePass(admin, 10);
  }
  assertEquals((await claimMessages(sql)).length, 0);
  const [late] = await admin`
    select held_by, scheduled_for > now() + interval '6 hours' as is_tomorrow
    from messaging.messages where status = 'queued'`;
  assertEquals([late?.["held_by"], late?.["is_tomorrow"]], ["daily_limit", true]);
});

Deno.test("what is promised for an instant keeps the limits of its day and the jitter: it is the slot that the message gets", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const dayLimits = { dailyLimit: 4, newContactsPerDay: 2, jitterSeconds: 90 };
  for (let seed = 0; seed < 6; seed++) {
    const random = createSeededRandom(seed);
    const { instanceId, timeZone } = await createProtectedTenant(admin, dayLimits);
    const promised: string[] = [];
    for (let count = 0; count < 14; count++) {
      const phone = `55119876${String(10_000 + Math.floor(random.between(0, 9)))}`;
      const sendAt = Date.now() + 24 * hour + Math.floor(random.between(0, 40)) * 60_000;
      promised.push(await enqueueAt(sql, instanceId, sendAt, 60, phone));
      if (count === 4) await makeKnown(admin, instanceId, phone);
    }
    const days = await admin<{ sent: number; newContacts: number }[]>`
      select count(*)::int as sent, count(distinct m.contact_id) filter (
          where messaging.is_new_contact(m.contact_id) and not exists (
            select from messaging.messages b
            where b.contact_id = m.contact_id and b.scheduled_for < m.scheduled_for
          )
        )::int as "newContacts"
      from messaging.messages m
      where m.instance_id = ${instanceId}
      group by (m.scheduled_for at time zone ${timeZone})::date`;
    for (const { sent, newContacts } of days) {
      assert(sent <= 4 && newContacts <= 2, `seed ${seed}: ${sent} a day, ${newContacts} new`);
    }
    assert(days.length > 3, `seed ${seed}`);
    const read = async (): Promise<readonly string[]> =>
      (await admin`
        select id || ' ' || scheduled_for as slot from messaging.messages
        where instance_id = ${instanceId} order by id`).map((row) => row["slot"]);
    const before = await read();
    assertEquals(before.length, promised.length);
    await admin`
      select messaging.enqueue_waiting_messages(array_agg(q.message_id), now())
      from messaging.message_queue q
      where q.instance_id = ${instanceId} and q.lane = 'unpaced'`;
    assertEquals(await read(), before, `seed ${seed}`);
  }
});

Deno.test("of what waits for a day to somebody new the first message alone takes a place for new contacts", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createProtectedTenant(admin, { newContactsPerDay: 2 });
  const sendAt = Date.now() + 24 * hour;
  for (const phone of ["5511987654321", "5511987654321", "5511987654321", "5511987654322"]) {
    const slot = await enqueueAt(sql, instanceId, sendAt, 10, phone);
    assert(Date.parse(slot) < sendAt + hour, slot);
  }
});

/** Queues a text for an instant. @returns the slot that it was promised */
async function enqueueAt(
  sql: Sql,
  instanceId: string,
  sendAtMs: number,
  intervalSeconds: number,
  phone = "5511987654321",
): Promise<string> {
  const { scheduledFor } = await callFunction<{ scheduledFor: string }>(sql, "accept_message", {
    ...{ instanceId, phone, idempotency: null, assignment: null },
    message: { messageType: "text", message: "x" },
    delivery: {
      ...{ queued: true, intervalSeconds, delaySeconds: 0, leaseSeconds: 30 },
      timing: { sendAt: new Date(sendAtMs).toISOString() },
    },
  });
  return scheduledFor;
}
