/** WhatsApp's lock on new chats: a claim that holds a contact's message while the contact writes. */

import { assertEquals, assertLess } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction, claimMessages, enqueueText } from "../../support/database/queue_calls.ts";
import { isWaiting, openSessions } from "../../support/database/sessions.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";
import type { Sql } from "postgres";

const phone = "5511987654321";

for (const queued of [true, false]) {
  const lane = queued ? "paced" : "unpaced";

  Deno.test(`a contact who writes while a claim holds a ${lane} message as new has it leave`, async () => {
    await using database = await createTestDatabase();
    const { one, two } = await openSessions(database);
    const { instanceId, messageId } = await startLocked(database, queued);
    await one.unsafe("begin");
    assertEquals(await claimMessages(one), [], "the lock keeps it");
    const writing = write(two, database, instanceId);
    await waitUntil(() => isWaiting(database.admin));
    await one.unsafe("commit");
    await writing;
    assertEquals(await readHold(database, messageId), "interval");
    assertEquals((await claimMessages(two)).map((one) => one.messageId), [messageId]);
  });

  Deno.test(`a claim beside a contact who writes leaves its ${lane} message alone, and the next one takes it`, async () => {
    await using database = await createTestDatabase();
    const { one, two } = await openSessions(database);
    const { instanceId, messageId } = await startLocked(database, queued);
    await one.unsafe("begin");
    await write(one, database, instanceId);
    assertEquals(await claimMessages(two), []);
    await one.unsafe("commit");
    assertEquals((await claimMessages(two)).map((one) => one.messageId), [messageId]);
  });
}

Deno.test("a contact's first word waits for none of its messages where no lock is active", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const { instanceId, messageId } = await startLocked(database, true);
  await database.admin`
    update messaging.dispatch set new_chats_locked_until = '-infinity'
    where instance_id = ${instanceId}`;
  await one.unsafe("begin");
  await one`select from messaging.messages where id = ${messageId} for update`;
  await one`select from messaging.pacing where instance_id = ${instanceId} for update`;
  await write(two, database, instanceId);
  await one.unsafe("rollback");
});

Deno.test("what waits for a lock's end takes no slot before it from known contacts", async () => {
  await using database = await createTestDatabase();
  const { sql, admin } = database;
  const { instanceId } = await startLocked(database, true);
  assertEquals(await claimMessages(sql), [], "the lock keeps it");
  const known = "5511987654322";
  const first = await enqueueText(sql, instanceId, { phone: known });
  await admin`update messaging.contacts set last_inbound_at = now() where phone = ${known}`;
  await callFunction(sql, "cancel_message", { instanceId, messageId: first.messageId });
  const { scheduledFor } = await enqueueText(sql, instanceId, { phone: known });
  assertLess(Date.parse(scheduledFor), Date.now() + 3_600_000);
});

Deno.test("a lock that was told without an end lasts a day from then, and a shorter one lets go sooner", async () => {
  await using database = await createTestDatabase();
  const { sql, admin } = database;
  const { instanceId, messageId } = await startLocked(database, true);
  await admin`
    update messaging.dispatch set new_chats_locked_until = '-infinity'
    where instance_id = ${instanceId}`;
  const tell = async (told: Readonly<Record<string, unknown>>): Promise<number> => {
    await admin`
      select messaging.keep_allowance(i, ${admin.json(told as never)})
      from messaging.instances i where i.id = ${instanceId}`;
    await admin`select messaging.refresh_dispatch(array[${instanceId}::uuid])`;
    const [row] = await admin<{ until: Date }[]>`
      select new_chats_locked_until as until from messaging.dispatch
      where instance_id = ${instanceId}`;
    return row!.until.getTime();
  };
  const until = await tell({ timeLock: { isActive: true } });
  assertEquals(await claimMessages(sql), []);
  assertEquals(await tell({ newChats: { used: 3 } }), until, "as it was told first");
  const soon = new Date(Date.now() + 3_600_000);
  assertEquals(
    await tell({ timeLock: { isActive: true, until: soon.toISOString() } }),
    soon.getTime(),
  );
  assertEquals(await claimMessages(sql), []);
  const [row] = await admin`
    select held_by, scheduled_for < ${new Date(until)} as is_sooner
    from messaging.messages where id = ${messageId}`;
  assertEquals({ ...row }, { held_by: "new_contacts", is_sooner: true });
});

Deno.test("new credentials move no new contact to an earlier day where no lock was active", async () => {
  await using database = await createTestDatabase();
  const { sql, admin } = database;
  const { instanceId, messageId } = await startLocked(database, true);
  await admin`
    update messaging.dispatch set new_chats_locked_until = '-infinity'
    where instance_id = ${instanceId}`;
  await admin`
    update messaging.messages
    set held_by = 'new_contacts', scheduled_for = now() + interval '2 days'
    where id = ${messageId}`;
  await admin`
    update messaging.message_queue set scheduled_at = now() + interval '2 days'
    where message_id = ${messageId}`;
  const changes = { sealedProviderConfig: "another" };
  await callFunction(sql, "update_instance", { instanceId, changes });
  const [row] = await admin`
    select held_by, scheduled_for > now() + interval '1 day' as is_later
    from messaging.messages where id = ${messageId}`;
  assertEquals({ ...row }, { held_by: "new_contacts", is_later: true });
});

/** A message that is due, to somebody new, on an instance whose new chats are locked. */
async function startLocked(
  database: TestDatabase,
  queued: boolean,
): Promise<{ instanceId: string; messageId: string }> {
  const { instanceId } = await createTenant(database.admin);
  const { messageId } = queued ? await enqueueText(database.sql, instanceId) : await callFunction<
    { messageId: string }
  >(database.sql, "accept_message", {
    ...{ instanceId, phone, idempotency: null, assignment: null },
    message: { messageType: "text", message: "x" },
    delivery: { queued, intervalSeconds: 30, delaySeconds: 1, leaseSeconds: 30 },
  });
  await letTimePass(database.admin, 2);
  await database.admin`
    update messaging.dispatch set new_chats_locked_until = now() + interval '1 day'
    where instance_id = ${instanceId}`;
  return { instanceId, messageId };
}

/** The contact writes for the first time. */
async function write(sql: Sql, database: TestDatabase, instanceId: string): Promise<void> {
  const [instance] = await database.admin`
    select sealed_provider_config from messaging.instances where id = ${instanceId}`;
  const { recorded } = await callFunction<{ recorded: number }>(sql, "record_provider_events", {
    instanceId,
    sealedProviderConfig: instance?.["sealed_provider_config"],
    payload: "{}",
    events: [{
      ...{ kind: "message", origin: "inbound", providerMessageId: "IN1", address: phone },
      ...{ otherAddresses: [], messageType: "text", message: "Oi" },
    }],
  });
  assertEquals(recorded, 1);
}

/** What holds a message that is due now. */
async function readHold({ admin }: TestDatabase, messageId: string): Promise<unknown> {
  const [row] =
    await admin`select scheduled_for, held_by from messaging.messages where id = ${messageId}`;
  assertLess(row?.["scheduled_for"].getTime(), Date.now() + 1_000);
  return row?.["held_by"];
}
