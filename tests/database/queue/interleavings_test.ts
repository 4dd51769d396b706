import { assertEquals, assertLess, assertRejects } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import {
  callFunction,
  claimMessages,
  type Enqueued,
  enqueueText,
  settleClaim,
} from "../../support/database/queue_calls.ts";
import { isWaiting, openSessions } from "../../support/database/sessions.ts";
import { delayNextSlot } from "../../support/fixtures/queue_slots.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { waitUntil } from "../../support/wait_until.ts";

Deno.test("two concurrent claims never get the same message, and the second does not wait", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const [first, second] = [await startDue(database), await startDue(database)];
  await one.unsafe("begin");
  assertEquals((await claimMessages(one, 1)).length, 1);
  const others = await claimMessages(two);
  assertEquals(others.length, 1);
  await one.unsafe("rollback");
  const rest = await claimMessages(two);
  assertEquals(
    [...others, ...rest].map(({ messageId }) => messageId).sort(),
    [first.messageId, second.messageId].sort(),
  );
  assertEquals(await claimMessages(one), []);
});

for (const table of ["dispatch", "message_queue"]) {
  Deno.test(`a claim skips an instance whose ${table} row is locked`, async () => {
    await using database = await createTestDatabase();
    const { one, two } = await openSessions(database);
    const held = await startDue(database);
    const free = await startDue(database);
    await one.unsafe("begin");
    await one.unsafe(`select from messaging.${table} where instance_id = $1 for update`, [
      held.instanceId,
    ]);
    assertEquals((await claimMessages(two)).map(({ messageId }) => messageId), [free.messageId]);
    await one.unsafe("commit");
    assertEquals((await claimMessages(two)).map(({ messageId }) => messageId), [held.messageId]);
  });
}

Deno.test("an enqueue in progress does not hide its due instance from a claim", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const due = await startDue(database);
  await one.unsafe("begin");
  await enqueueText(one, due.instanceId);
  assertEquals((await claimMessages(two)).map(({ messageId }) => messageId), [due.messageId]);
  await one.unsafe("commit");
});

Deno.test("a claim skips a locked unpaced message", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const { instanceId } = await createTenant(database.admin);
  await callFunction(database.sql, "accept_message", {
    instanceId,
    phone: "5511987654321",
    idempotency: null,
    assignment: null,
    message: { messageType: "text", message: "x" },
    delivery: { queued: false, intervalSeconds: 30, delaySeconds: 1, leaseSeconds: 30 },
  });
  await letTimePass(database.admin, 2);
  await one.unsafe("begin");
  assertEquals((await claimMessages(one)).length, 1);
  assertEquals(await claimMessages(two), []);
  await one.unsafe("commit");
  assertEquals(await claimMessages(two), []);
});

Deno.test("a message that is enqueued while another is in flight wakes the dispatcher after the settle", async () => {
  await using database = await createTestDatabase();
  const due = await startDue(database);
  const [claim] = await claimMessages(database.sql);
  const next = await enqueueText(database.sql, due.instanceId, { intervalSeconds: 10 });
  assertEquals(await claimMessages(database.sql), [], "one in flight at a time");
  if (claim !== undefined) await settleClaim(database.sql, claim);
  await letTimePass(database.admin, 11);
  assertEquals((await claimMessages(database.sql)).map(({ messageId }) => messageId), [
    next.messageId,
  ]);
});

Deno.test("a settle waits for an enqueue in progress and sees its message", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const due = await startDue(database);
  const [claim] = await claimMessages(database.sql);
  if (claim === undefined) throw new Error("nothing was claimed");
  await one.unsafe("begin");
  const next = await enqueueText(one, due.instanceId, { intervalSeconds: 10 });
  const settling = settleClaim(two, claim);
  await waitUntil(() => isWaiting(database.admin));
  await one.unsafe("commit");
  assertEquals(await settling, [due.messageId]);
  await letTimePass(database.admin, 11);
  assertEquals((await claimMessages(database.sql)).map(({ messageId }) => messageId), [
    next.messageId,
  ]);
});

Deno.test("an enqueue that is rolled back releases its slot", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const due = await startDue(database);
  await one.unsafe("begin");
  // Longer than the test may take: the second slot counts from its own, later instant.
  const timing = { delaySeconds: 100, intervalSeconds: 3_600 };
  const lost = await enqueueText(one, due.instanceId, timing);
  const waiting = enqueueText(two, due.instanceId, timing);
  await waitUntil(() => isWaiting(database.admin));
  await one.unsafe("rollback");
  const kept = await waiting;
  const behindMs = Date.parse(kept.scheduledFor) - Date.parse(lost.scheduledFor);
  assertLess(Math.abs(behindMs), 3_600_000);
});

Deno.test("a claim whose head was canceled leaves the instance to the next message", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const due = await startDue(database);
  await delayNextSlot(database.admin, due.instanceId, 100);
  const next = await enqueueText(database.sql, due.instanceId);
  await one.unsafe("begin");
  await callFunction(one, "cancel_message", target(due));
  assertEquals(await claimMessages(two), [], "the head is held by the cancel");
  await one.unsafe("commit");
  assertEquals(await claimMessages(two), []);
  await letTimePass(database.admin, 101);
  assertEquals((await claimMessages(two)).map(({ messageId }) => messageId), [next.messageId]);
});

Deno.test("a cancel does not wait for a claim in progress: the message counts as sending", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const due = await startDue(database);
  await one.unsafe("begin");
  await claimMessages(one);
  const error = await assertRejects(() => callFunction(two, "cancel_message", target(due)));
  assertEquals((error as { code?: string }).code, "MI011");
  await one.unsafe("rollback");
  await callFunction(two, "cancel_message", target(due));
  assertEquals(await claimMessages(two), []);
});

Deno.test("of two settles with one claim only the first counts, whichever waits", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const due = await startDue(database);
  const [claim] = await claimMessages(database.sql);
  if (claim === undefined) throw new Error("nothing was claimed");
  await one.unsafe("begin");
  assertEquals(await settleClaim(one, claim, { outcome: "unknown", error: { code: "u" } }), [
    due.messageId,
  ]);
  const late = settleClaim(two, claim, { outcome: "rejected", error: { code: "r" } });
  await waitUntil(() => isWaiting(database.admin));
  await one.unsafe("commit");
  assertEquals(await late, []);
  const [row] = await database.admin`select status from messaging.messages`;
  assertEquals(row?.["status"], "unconfirmed");
});

Deno.test("a claim is settled only with its own token", async () => {
  await using database = await createTestDatabase();
  const due = await startDue(database);
  await claimMessages(database.sql);
  const forged = { messageId: due.messageId, claimToken: crypto.randomUUID() };
  assertEquals(await settleClaim(database.sql, forged), []);
});

Deno.test("two concurrent maintenance runs expire a lease once, and the queue continues", async () => {
  await using database = await createTestDatabase();
  const due = await Promise.all(Array.from({ length: 10 }, () => startDue(database)));
  const next = await enqueueText(database.sql, due[0]?.instanceId ?? "");
  assertEquals((await claimMessages(database.sql)).length, 10);
  await letTimePass(database.admin, 60);
  const counts = await Promise.all(
    Array.from(
      { length: 4 },
      () => callFunction<{ expired: number }>(database.sql, "expire_claims", { maxMessages: 500 }),
    ),
  );
  assertEquals(counts.reduce((sum, { expired }) => sum + expired, 0), 10);
  const rows = await database.admin`
    select 1 from messaging.messages where status = 'unconfirmed' and last_error->>'code' = 'worker_lost'`;
  assertEquals(rows.length, 10);
  assertEquals((await claimMessages(database.sql)).map(({ messageId }) => messageId), [
    next.messageId,
  ]);
});

Deno.test("a message in flight whose contact is deleted releases its instance when the lease ends", async () => {
  await using database = await createTestDatabase();
  const due = await startDue(database);
  const next = await enqueueText(database.sql, due.instanceId, { phone: "5511900000002" });
  await claimMessages(database.sql, 1);
  await database.admin`delete from messaging.contacts where phone = '5511987654321'`;
  await letTimePass(database.admin, 60);
  await callFunction(database.sql, "expire_claims", { maxMessages: 500 });
  assertEquals((await claimMessages(database.sql)).map(({ messageId }) => messageId), [
    next.messageId,
  ]);
});

Deno.test("a message that becomes the head keeps its own interval, however soon another was due", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin);
  const settleNext = async (outcome?: Readonly<Record<string, unknown>>): Promise<void> => {
    const [claim] = await claimMessages(sql);
    if (claim === undefined) throw new Error("nothing was claimed");
    await settleClaim(sql, claim, outcome);
  };
  const refused = { outcome: "rejected", retryable: true, scope: "recipient", error: {} };
  for (const message of ["first", "second"]) {
    await enqueueText(sql, instanceId, { intervalSeconds: 10, message });
  }
  await settleNext({ ...refused, retryAfterMs: 500_000 });
  await letTimePass(admin, 10);
  await settleNext({ ...refused, retryAfterMs: 510_000 });
  await letTimePass(admin, 490);
  await settleNext();
  await letTimePass(admin, 1);
  await enqueueText(sql, instanceId, { intervalSeconds: 300, message: "slow" });
  await letTimePass(admin, 20);
  assertEquals(await claimMessages(sql), [], "20 s after another one, of 300");
  await letTimePass(admin, 280);
  assertEquals((await claimMessages(sql)).map(({ message }) => message), ["slow"]);
});

Deno.test("a delivered message is not sent again when its claim is rolled back", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const { messageId } = await startDue(database);
  await one.unsafe("begin");
  assertEquals((await claimMessages(one)).length, 1);
  const advancing = two`
    select messaging.advance_message(${messageId}, 'p', 'delivered', now(), null)`.execute();
  await waitUntil(() => isWaiting(database.admin));
  await one.unsafe("rollback");
  await advancing;
  assertEquals(await claimMessages(two), []);
});

Deno.test("a rejection of credentials that are being replaced does not hold the new ones", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const due = await startDue(database);
  const { instanceId } = due;
  const [instance] = await database.admin`
    select sealed_provider_config from messaging.instances where id = ${instanceId}`;
  const [claim] = await claimMessages(two);
  if (claim === undefined) throw new Error("nothing was claimed");
  await one.unsafe("begin");
  await callFunction(one, "update_instance", {
    instanceId,
    changes: { sealedProviderConfig: "v1.new", gatewayInstanceId: "G" },
  });
  const settling = settleClaim(two, claim, {
    ...{ outcome: "rejected", retryable: false, scope: "instance", error: {} },
    sealedProviderConfig: instance?.["sealed_provider_config"],
  });
  await waitUntil(() => isWaiting(database.admin));
  await one.unsafe("commit");
  await settling;
  const [dispatch] = await database.admin`
    select hold_until = '-infinity' as is_free from messaging.dispatch`;
  assertEquals(dispatch?.["is_free"], true);
});

Deno.test("concurrent enqueues on one instance get slots exactly one interval apart", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  const accepted = await Promise.all(
    Array.from(
      { length: 60 },
      () => enqueueText(database.sql, instanceId, { intervalSeconds: 600 }),
    ),
  );
  const slots = accepted.map(({ scheduledFor }) => Date.parse(scheduledFor)).sort((a, b) => a - b);
  assertEquals(
    slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0)),
    new Array(59).fill(600_000),
  );
});

Deno.test("next_wake_up returns when the next message is due, and null for an empty queue", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  const wakeUp = async (): Promise<Date | null> => {
    const [row] = await database.sql`select messaging.next_wake_up() as at`;
    return row?.["at"] ?? null;
  };
  assertEquals(await wakeUp(), null);
  await delayNextSlot(database.admin, instanceId, 100);
  const first = await enqueueText(database.sql, instanceId);
  assertEquals((await wakeUp())?.toISOString(), new Date(first.scheduledFor).toISOString());
  await callFunction(database.sql, "cancel_message", { instanceId, messageId: first.messageId });
  assertEquals(await wakeUp(), null);
});

interface Due extends Enqueued {
  readonly instanceId: string;
}

/** Creates an instance with one due message. */
async function startDue(database: TestDatabase): Promise<Due> {
  const { instanceId } = await createTenant(database.admin);
  return { ...await enqueueText(database.sql, instanceId), instanceId };
}

function target({ instanceId, messageId }: Due): { instanceId: string; messageId: string } {
  return { instanceId, messageId };
}
