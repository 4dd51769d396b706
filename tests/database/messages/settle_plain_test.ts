/** The short way of settling immediate sends, against the steps that everything else goes through. */

import type { Sql } from "postgres";
import { assert, assertEquals, assertRejects } from "../../support/assert.ts";
import { readCallerView } from "../../support/database/caller_view.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countRowsRead } from "../../support/database/rows_read.ts";
import { isWaiting, openSessions } from "../../support/database/sessions.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { fillQueue } from "../../support/fixtures/long_queue.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";

type Json = Readonly<Record<string, unknown>>;

interface Claim {
  readonly messageId: string;
  readonly claimToken: string;
}

/** Immediate sends in their callers' hands, in the order of their ids. */
async function acceptImmediate(
  database: TestDatabase,
  count: number,
  instanceId?: string,
): Promise<readonly [Claim, ...Claim[]]> {
  const id = instanceId ?? (await createTenant(database.admin)).instanceId;
  const claims: Claim[] = [];
  for (let number = 0; number < count; number += 1) {
    const { messageId, claimToken } = await callFunction<Claim>(database.sql, "accept_message", {
      ...{ instanceId: id, phone: `551198765432${number}` },
      ...{ idempotency: null, assignment: null },
      message: { messageType: "text", message: `Olá ${number}` },
      delivery: { queued: false, intervalSeconds: 30, delaySeconds: 0, leaseSeconds: 30 },
    });
    claims.push({ messageId, claimToken });
  }
  return claims.sort((a, b) => a.messageId < b.messageId ? -1 : 1) as [Claim, ...Claim[]];
}

function accepted(claim: Claim): Json {
  return { ...claim, outcome: "accepted", providerMessageId: `wamid-${claim.messageId}` };
}

async function settle(sql: Sql, results: readonly Json[]): Promise<readonly string[]> {
  const { settled } = await callFunction<{ settled: string[] }>(sql, "settle_messages", {
    results,
  });
  return settled.toSorted();
}

function idsOf(claims: readonly Claim[]): string[] {
  return claims.map(({ messageId }) => messageId).sort();
}

async function statusesOf(database: TestDatabase, claims: readonly Claim[]): Promise<string[]> {
  const rows = await database.admin<{ status: string }[]>`
    select status from messaging.messages where id = any (${idsOf(claims)}) order by id`;
  return rows.map(({ status }) => status);
}

/** The ways in which the acceptance of a send may be recorded. */
const settlements: Readonly<Record<string, (claims: readonly Claim[]) => readonly Json[][]>> = {
  alone: (claims) => claims.map((claim) => [accepted(claim)]),
  "together, in any order": (claims) => [claims.toReversed().map(accepted)],
  // An outcome of another kind is nobody's: its claim is unknown.
  "beside others": (claims) => [[
    { ...accepted({ messageId: crypto.randomUUID(), claimToken: crypto.randomUUID() }) },
    { ...claims[0], claimToken: crypto.randomUUID(), outcome: "unknown" },
    ...claims.map(accepted),
  ]],
};

Deno.test("an accepted immediate send reads the same, settled alone, in a batch, and beside others", async () => {
  const views: unknown[] = [];
  for (const settlement of Object.values(settlements)) {
    await using database = await createTestDatabase();
    const { instanceId } = await createTenant(database.admin);
    const claims = await acceptImmediate(database, 3, instanceId);
    const settled: string[] = [];
    for (const results of settlement(claims)) settled.push(...await settle(database.sql, results));
    assertEquals(settled.toSorted(), idsOf(claims));
    views.push(await readCallerView(database.admin, instanceId));
  }
  for (const view of views.slice(1)) assertEquals(view, views[0]);
});

Deno.test("a batch settles only pairs of a message and its own claim", async () => {
  await using database = await createTestDatabase();
  const [one, two, three] = await acceptImmediate(database, 3);
  assert(two && three);
  const swapped = [
    { ...accepted(one), claimToken: two.claimToken },
    { ...accepted(two), claimToken: one.claimToken },
    accepted(three),
  ].map((result) => ({ ...result, providerMessageId: null }));
  assertEquals(await settle(database.sql, swapped), [three.messageId]);
  const left = await database.admin<{ id: string }[]>`
    select message_id as id from messaging.message_queue order by 1`;
  assertEquals(left.map(({ id }) => id), idsOf([one, two]));
});

Deno.test("batches lock their messages in one order, whichever order they name them in", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const lockRow = (claim: Claim): Promise<unknown> =>
    one.unsafe("select from messaging.message_queue where message_id = $1 for update nowait", [
      claim.messageId,
    ]);
  for (const outcome of ["accepted", "unknown"]) {
    const claims = await acceptImmediate(database, 3);
    const named = claims.toReversed().map((claim) => ({ ...accepted(claim), outcome }));
    await one.unsafe("begin");
    await lockRow(claims[0]);
    const settling = settle(two, named);
    await waitUntil(() => isWaiting(database.admin));
    // Had the batch begun with the message that it names first, this would fail.
    await lockRow(claims[2] ?? claims[0]);
    await one.unsafe("commit");
    assertEquals(await settling, idsOf(claims));
  }
});

Deno.test("a batch whose session is killed settles nothing, and can be repeated", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const claims = await acceptImmediate(database, 3);
  await one.unsafe("begin");
  await one.unsafe("select from messaging.messages where id = $1 for update", [
    claims[2]?.messageId ?? "",
  ]);
  const settling = assertRejects(() => settle(two, claims.map(accepted)));
  await waitUntil(() => isWaiting(database.admin));
  await database.admin`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await settling;
  await one.unsafe("commit");
  assertEquals(await statusesOf(database, claims), ["sending", "sending", "sending"]);
  assertEquals(await settle(database.sql, claims.map(accepted)), idsOf(claims));
  assertEquals(await settle(database.sql, claims.map(accepted)), [], "the answer was lost");
  assertEquals(await statusesOf(database, claims), ["sent", "sent", "sent"]);
});

Deno.test("a batch that meets an expired claim settles the others and records that one as sent", async () => {
  await using database = await createTestDatabase();
  const [expired] = await acceptImmediate(database, 1);
  await letTimePass(database.admin, 60);
  assertEquals(await callFunction(database.sql, "expire_claims", { maxMessages: 10 }), {
    expired: 1,
  });
  assertEquals(await statusesOf(database, [expired]), ["unconfirmed"]);
  const others = await acceptImmediate(database, 2);
  assertEquals(await settle(database.sql, [expired, ...others].map(accepted)), idsOf(others));
  assertEquals(await statusesOf(database, [expired, ...others]), ["sent", "sent", "sent"]);
});

Deno.test("a batch and the expiry of its claims never wait for each other, and one of them counts", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  for (let round = 0; round < 5; round += 1) {
    const claims = await acceptImmediate(database, 6);
    await letTimePass(database.admin, 60);
    const [settled, { expired }] = await Promise.all([
      settle(one, claims.toReversed().map(accepted)),
      callFunction<{ expired: number }>(two, "expire_claims", { maxMessages: 10 }),
    ]);
    assertEquals(settled.length + expired, claims.length);
    assertEquals(await statusesOf(database, claims), claims.map(() => "sent"));
  }
});

Deno.test("a delivery event that came before the answer is not undone by a batch", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  const [early, moved, plain] = await acceptImmediate(database, 3, instanceId);
  assert(moved && plain);
  await callFunction(database.sql, "record_provider_events", {
    ...{ instanceId, sealedProviderConfig: null, payload: "{}" },
    events: [{
      ...{ kind: "status", providerMessageId: `wamid-${early.messageId}`, status: "delivered" },
      occurredAt: new Date().toISOString(),
    }],
  });
  await database.admin`
    select messaging.advance_message(${moved.messageId}, 'other', 'read', now(), null)`;
  const claims = [early, moved, plain];
  assertEquals(await settle(database.sql, claims.map(accepted)), idsOf(claims));
  assertEquals(await statusesOf(database, [early]), ["delivered"]);
  assertEquals(await statusesOf(database, [moved]), ["read"]);
  assertEquals(await statusesOf(database, [plain]), ["sent"]);
});

Deno.test("settling reads no more rows beside 10,000 waiting messages", async () => {
  await using database = await createTestDatabase({ own: true });
  const { instanceId } = await createTenant(database.admin);
  await fillQueue(database.admin, instanceId, { messages: 10_000, interval: 10 });
  const claims = await acceptImmediate(database, 16, instanceId);
  const read = await countRowsRead(
    database.connect({ max: 1 }),
    (sql) => settle(sql, claims.map(accepted)),
  );
  assert(read < claims.length * 20, `read ${read} rows`);
});
