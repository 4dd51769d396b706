/** The floor of what is due: a look for it reads no entry of what has left, whatever snapshot keeps that. */

import type { Sql } from "postgres";
import { assert, assertEquals, assertLess } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { countPagesOfCall } from "../../support/database/pages_read.ts";
import { callFunction, claimMessages, enqueueText } from "../../support/database/queue_calls.ts";
import { openSessions } from "../../support/database/sessions.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const hourAgo = "now() - interval '1 hour'";

/** What a run of the dispatcher does every five seconds. */
async function maintain(sql: Sql): Promise<void> {
  await callFunction(sql, "expire_claims", { maxMessages: 10 });
}

async function readFloor(admin: Sql): Promise<string | null> {
  const [row] = await admin`select pg_sequence_last_value('messaging.due_floor') as floor`;
  return row?.["floor"] ?? null;
}

/** Pages that a poll reads or finds in the cache. */
async function countPollPages(sql: Sql): Promise<number> {
  const request = { maxMessages: 100, leaseSeconds: 30 };
  return await countPagesOfCall(sql, "claim_due_messages", () => Promise.resolve(request));
}

/** What 3,000 paced and 3,000 unpaced messages leave behind that were due an hour ago. */
async function leaveDeadEntries(admin: Sql, instanceId: string): Promise<void> {
  await admin.unsafe(`
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, visible_at
    )
    select gen_random_uuid(), '${instanceId}', 'unpaced', ${hourAgo}, ${hourAgo}
    from generate_series(1, 3000);
    delete from messaging.message_queue;
    do $$ begin
      for n in 1..3000 loop
        update messaging.dispatch set next_due_at = ${hourAgo} + n * interval '1 ms';
      end loop;
      update messaging.dispatch set next_due_at = 'infinity';
    end $$;`);
}

Deno.test("beside an old snapshot a poll does not read what has left", async () => {
  await using database = await createTestDatabase({ own: true });
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  const { one, two } = await openSessions(database);
  await maintain(one);
  const before = await countPollPages(one);
  await two.unsafe("begin isolation level repeatable read");
  await two`select count(*) from messaging.instances`;
  await leaveDeadEntries(admin, instanceId);
  const unbounded = await countPollPages(one);
  assertLess(10 * before, unbounded, "the snapshot keeps the entries, and the floor was lowered");
  await maintain(one);
  const after = await countPollPages(one);
  assertLess(after, 2 * before, `${before} pages before, ${after} after`);
  await two.unsafe("rollback");
});

Deno.test("a message that becomes due long after its time is claimed by the next poll", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin);
  await enqueueText(sql, instanceId, { delaySeconds: 600, intervalSeconds: 0 });
  await enqueueText(sql, instanceId, { phone: "5511987654322" });
  await admin`update messaging.dispatch set next_due_at = 'infinity'`;
  for (
    const becomesDue of [
      `update messaging.dispatch set next_due_at = ${hourAgo}`,
      `update messaging.message_queue set visible_at = ${hourAgo} where lane = 'unpaced'`,
    ]
  ) {
    await maintain(sql);
    assert(await readFloor(admin) !== null);
    assertEquals(await claimMessages(sql), []);
    await admin.unsafe(`update messaging.message_queue set scheduled_at = ${hourAgo}`);
    await admin.unsafe(becomesDue);
    assertEquals((await claimMessages(sql)).length, 1, becomesDue);
  }
});

Deno.test("the floor is not raised above what an open transaction makes due", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  const { one, two } = await openSessions(database);
  await enqueueText(one, instanceId);
  await admin`update messaging.dispatch set next_due_at = 'infinity'`;
  await maintain(one);
  await two.unsafe(`begin; update messaging.dispatch set next_due_at = ${hourAgo}`);
  for (let time = 0; time < 2; time++) await maintain(one);
  assertLess(Number(await readFloor(admin)), Date.now() / 1_000 - 3_000);
  assertEquals(await claimMessages(one), []);
  await two.unsafe("commit");
  assertEquals((await claimMessages(one)).length, 1);
  await maintain(one);
  assertLess(Date.now() / 1_000 - 60, Number(await readFloor(admin)));
});

Deno.test("what lies below the floor all the same, as after a restore, is found by the next maintenance", async () => {
  await using database = await createTestDatabase({ own: true });
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin);
  await enqueueText(sql, instanceId);
  await admin`update messaging.dispatch set next_due_at = 'infinity'`;
  await maintain(sql);
  await admin.begin(async (transaction) => {
    // As a dump is restored: without triggers.
    await transaction`set local session_replication_role = replica`;
    await transaction.unsafe(`update messaging.dispatch set next_due_at = ${hourAgo}`);
  });
  assertEquals(await claimMessages(sql), []);
  await maintain(sql);
  assertEquals((await claimMessages(sql)).length, 1);
});

Deno.test("a lease that ended long ago is ended by the next maintenance", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin);
  await enqueueText(sql, instanceId, { intervalSeconds: 0 });
  assertEquals((await claimMessages(sql)).length, 1);
  await maintain(sql);
  assert(await readFloor(admin) !== null);
  await admin.unsafe(`update messaging.message_queue set lease_until = ${hourAgo};
    update messaging.dispatch set lease_until = ${hourAgo}`);
  const { expired } = await callFunction<{ expired: number }>(
    ...[sql, "expire_claims", { maxMessages: 10 }] as const,
  );
  assertEquals(expired, 1);
});

Deno.test("a floor that lies ahead, because the clock was set back, hides nothing", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin);
  await admin`select setval('messaging.due_floor', extract(epoch from now())::bigint + 90)`;
  await enqueueText(sql, instanceId);
  assertEquals((await claimMessages(sql)).length, 1);
});
