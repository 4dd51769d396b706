/** From when the interval to an instance's next message counts. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction, enqueueText } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { protect } from "../../support/fixtures/protected_tenant.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const intervalSeconds = 10;
const leaseSeconds = 30;

interface Claim {
  readonly messageId: string;
  readonly claimToken: string;
}

/** Instants in milliseconds, on the database's clock. */
interface Times {
  readonly claimedAt: number;
  readonly pacedFrom: number;
  readonly leaseUntil: number | null;
  readonly dueAt: number;
}

/** Queues two messages, the first of which is due, and claims that one. */
async function claimFirst(
  admin: Sql,
  prepare: (instanceId: string) => Promise<void> = () => Promise.resolve(),
): Promise<Claim> {
  const { instanceId } = await createTenant(admin);
  await prepare(instanceId);
  await enqueueText(admin, instanceId, { intervalSeconds, message: "1" });
  await enqueueText(admin, instanceId, { intervalSeconds, message: "2" });
  // What is late does not keep the grid of its slots: the interval counts from the claim, as far as known.
  await letTimePass(admin, 60);
  const { messages: [claim] } = await callFunction<{ messages: Claim[] }>(
    admin,
    "claim_due_messages",
    { maxMessages: 10, leaseSeconds },
  );
  assert(claim);
  return claim;
}

async function settle(admin: Sql, { messageId, claimToken }: Claim, result: object): Promise<void> {
  await callFunction(admin, "settle_messages", {
    results: [{ messageId, claimToken, ...result }],
  });
}

async function readTimes(admin: Sql): Promise<Times> {
  const [times] = await admin<Times[]>`
    select extract(epoch from departs_at)::float8 * 1000 as "claimedAt",
      extract(epoch from paced_from)::float8 * 1000 as "pacedFrom",
      extract(epoch from lease_until)::float8 * 1000 as "leaseUntil",
      extract(epoch from next_due_at)::float8 * 1000 as "dueAt"
    from messaging.dispatch`;
  assert(times);
  return times;
}

const accepted = { outcome: "accepted", providerMessageId: "p-1" };
const refused = { outcome: "rejected", error: { code: "x", message: "x" }, scope: "message" };

Deno.test("the next message is due an interval after the call of the one before it, whatever the provider answered", async () => {
  for (const result of [accepted, { ...accepted, waId: "5511987654321" }, refused]) {
    await using database = await createTestDatabase();
    const { admin } = database;
    const claim = await claimFirst(admin);
    const { claimedAt } = await readTimes(admin);
    await settle(admin, claim, { ...result, calledAfterMs: 7_000 });
    const { pacedFrom, dueAt } = await readTimes(admin);
    assertEquals(Math.round(pacedFrom - claimedAt), 7_000, JSON.stringify(result));
    assertEquals(Math.round(dueAt - claimedAt), 7_000 + intervalSeconds * 1_000);
  }
});

Deno.test("the call of a protected instance's message counts the same", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const claim = await claimFirst(
    admin,
    (instanceId) => protect(admin, instanceId, { dailyLimit: 100 }),
  );
  const { claimedAt } = await readTimes(admin);
  await settle(admin, claim, { ...accepted, calledAfterMs: 3_000 });
  const { dueAt } = await readTimes(admin);
  assertEquals(Math.round(dueAt - claimedAt), 3_000 + intervalSeconds * 1_000);
});

Deno.test("a call that begins at most 50 ms late keeps the grid of the slots", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const claim = await claimFirst(admin);
  const before = await readTimes(admin);
  await settle(admin, claim, { ...accepted, calledAfterMs: 50 });
  assertEquals((await readTimes(admin)).pacedFrom, before.pacedFrom);
});

Deno.test("a claim and a call that are late together leave the grid", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const claim = await claimFirst(admin);
  // A claim 40 ms after the slot keeps the grid.
  await admin`update messaging.dispatch set paced_from = departs_at - interval '40 milliseconds'`;
  const { claimedAt } = await readTimes(admin);
  await settle(admin, claim, { ...accepted, calledAfterMs: 20 });
  assertEquals(Math.round((await readTimes(admin)).pacedFrom - claimedAt), 20);
});

Deno.test("an outcome that says nothing of its call, or made none, keeps the pace of its claim", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const claim = await claimFirst(admin);
  const before = await readTimes(admin);
  await settle(admin, claim, accepted);
  assertEquals((await readTimes(admin)).pacedFrom, before.pacedFrom);
});

Deno.test("after an unknown outcome the interval counts from when it was known, the end of what may have been its call", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const claim = await claimFirst(admin);
  await letTimePass(admin, 12);
  const settledFrom = await readClock(admin);
  await settle(admin, claim, {
    ...{ outcome: "unknown", error: { code: "outcome_unknown", message: "x" }, calledAfterMs: 1 },
  });
  const { pacedFrom, dueAt } = await readTimes(admin);
  assert(pacedFrom >= settledFrom && pacedFrom <= await readClock(admin));
  assertEquals(Math.round(dueAt - pacedFrom), intervalSeconds * 1_000);
});

Deno.test("after a worker's death the interval counts from the end of its lease", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  await claimFirst(admin);
  // The look comes seven seconds after the end.
  await letTimePass(admin, leaseSeconds + 7);
  const { leaseUntil } = await readTimes(admin);
  const { expired } = await callFunction<{ expired: number }>(admin, "expire_claims", {
    maxMessages: 10,
  });
  assertEquals(expired, 1);
  const { dueAt } = await readTimes(admin);
  assertEquals(Math.round(dueAt - (leaseUntil ?? 0)), intervalSeconds * 1_000);
});

async function readClock(admin: Sql): Promise<number> {
  const [row] = await admin<{ now: number }[]>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now`;
  return row?.now ?? 0;
}
