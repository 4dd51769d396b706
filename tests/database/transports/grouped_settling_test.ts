import type { ISql, Sql } from "postgres";
import type { Database } from "../../../shared/database/database.ts";
import { openDirectDatabase } from "../../../shared/database/direct_database.ts";
import type {
  SettledOutcome,
  SettleMessagesRequest,
} from "../../../shared/database/rpcs/messages.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import {
  callAsGroup,
  type CallOutcome,
  callSingly,
  type GroupOutcome,
} from "../../support/database/call_groups.ts";
import { type CallerView, readCallerView } from "../../support/database/caller_view.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { holdWrites } from "../../support/database/held_writes.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countMixes, transports } from "../../support/database/transports.ts";
import { surviveBrokenWrites } from "../../support/faults/driver_faults.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { createSeededRandom, type SeededRandom } from "../../support/seeded_random.ts";
import { waitUntil } from "../../support/wait_until.ts";

surviveBrokenWrites();

const direct = transports[0];
assert(direct?.name === "direct");

/** A message in flight, with its key. */
interface Claim {
  readonly messageId: string;
  readonly claimToken: string;
  readonly idempotency: {
    readonly scope: string;
    readonly key: string;
    readonly fingerprint: string;
  };
}

for (const transport of transports) {
  Deno.test(`${transport.name}: any mix of grouped settlements gives what the same calls give one by one`, async () => {
    const random = createSeededRandom();
    await using database = await createTestDatabase();
    await using open = transport.open(database.url);
    for (let round = 0; round < countMixes(transport, 6); round++) {
      const drafts = drawSettlements(random);
      const [grouped, single] = [
        await createSide(database, drafts),
        await createSide(database, drafts),
      ];
      const { outcomes } = await callAsGroup(open.database, "settle_messages", grouped.requests);
      const expected = await callSingly(open.database, "settle_messages", single.requests);
      const seed = `seed ${random.seed}, round ${round}`;
      assertEquals(grouped.describe(outcomes), single.describe(expected), seed);
      assertEquals(await grouped.read(), await single.read(), seed);
    }
  });
}

Deno.test("a group of accepted messages is one call, and keeps each response under its own key", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const claims = await claimMessages(database, 32);
  const { outcomes, rpcNames } = await settleAsGroup(open.database, claims);
  assertEquals(outcomes, claims.map(({ messageId }) => ({ result: { settled: [messageId] } })));
  assertEquals(rpcNames, ["settle_message_calls"]);
  await assertAllSettledOnce(database.admin, claims);
});

Deno.test("a member whose claim is lost is told so, and its group is settled", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const claims = await claimMessages(database, 3);
  const [, lost] = claims;
  assert(lost !== undefined);
  await database.admin`
    update messaging.message_queue set claim_token = gen_random_uuid()
    where message_id = ${lost.messageId}`;
  const { outcomes, rpcNames } = await settleAsGroup(open.database, claims);
  assertEquals(
    outcomes,
    claims.map((claim) => ({ result: { settled: claim === lost ? [] : [claim.messageId] } })),
  );
  assertEquals(rpcNames, ["settle_message_calls"]);
  const kept = await database.admin<{ key: string }[]>`
    select key from messaging.idempotency_keys where response is null`;
  assertEquals(kept.map(({ key }) => key), [lost.idempotency.key]);
});

Deno.test("a bad member rolls its group back, and fails alone", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const claims = await claimMessages(database, 3);
  const requests = claims.map(toRequest);
  const bad = { ...claims[1], messageId: "not-a-uuid" } as Claim;
  requests[1] = toRequest(bad);
  const { outcomes, rpcNames } = await callAsGroup(open.database, "settle_messages", requests);
  assertEquals(outcomes, [
    { result: { settled: [claims[0]?.messageId] } },
    { defect: "22P02" },
    { result: { settled: [claims[2]?.messageId] } },
  ]);
  assertEquals(rpcNames, ["settle_message_calls", ...Array(3).fill("settle_messages")]);
});

Deno.test("a group that would wait for a locked row is settled call by call: the row holds up its own member alone", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const { admin } = database;
  const claims = await claimMessages(database, 3);
  const settling = Promise.withResolvers<Promise<GroupOutcome>>();
  await admin.begin(async (holder) => {
    await lockMessage(holder, claims[2]);
    settling.resolve(settleAsGroup(open.database, claims));
    await waitUntil(async () => (await countSettled(admin)) === 2, { what: "the two others" });
  });
  const { outcomes, rpcNames } = await (await settling.promise);
  assertEquals(outcomes, claims.map(({ messageId }) => ({ result: { settled: [messageId] } })));
  assertEquals(rpcNames, ["settle_message_calls", ...Array(3).fill("settle_messages")]);
  await assertAllSettledOnce(admin, claims);
});

Deno.test("a group whose session is killed is made again by nobody, leaves nothing, and each member may repeat its call", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const { admin } = database;
  const claims = await claimMessages(database, 3);
  const held = await holdWrites(admin);
  const settling = settleAsGroup(open.database, claims);
  await held.end("pg_terminate_backend");
  const { outcomes: lost, rpcNames } = await settling;
  assertEquals(lost, Array(3).fill({ refusal: "service_unavailable" }));
  assertEquals(rpcNames, ["settle_message_calls"]);
  assertEquals(await countSettled(admin), 0);
  await held.release();
  const { outcomes } = await settleAsGroup(open.database, claims);
  assertEquals(outcomes, claims.map(({ messageId }) => ({ result: { settled: [messageId] } })));
  await assertAllSettledOnce(admin, claims);
});

Deno.test("a group that times out is made again by nobody; it may be executed all the same, and repeated calls change nothing", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const claims = await claimMessages(database, 3);
  const timeoutMs = 10_123;
  using timeouts = holdTimers(timeoutMs);
  const impatient = openDirectDatabase(database.url, { timeoutMs });
  await using _ = { [Symbol.asyncDispose]: () => impatient.close() };
  const held = await holdWrites(admin);
  const settling = settleAsGroup(impatient, claims);
  await held.untilHeld();
  timeouts.end();
  const { outcomes: lost, rpcNames } = await settling;
  assertEquals(lost, Array(3).fill({ refusal: "service_unavailable" }));
  assertEquals(rpcNames, ["settle_message_calls"]);
  await held.release();
  await waitUntil(async () => (await countSettled(admin)) === 3, { what: "the abandoned group" });
  await using open = direct.open(database.url);
  const { outcomes } = await settleAsGroup(open.database, claims);
  assertEquals(outcomes, Array(3).fill({ result: { settled: [] } }));
  await assertAllSettledOnce(admin, claims);
});

Deno.test("a group whose connection is lost after it was executed is made again by nobody, and is recorded once", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const claims = await claimMessages(database, 3);
  const losing: Database = {
    rpc: async (name, request) => {
      await open.database.rpc(name, request);
      throw new AppError("service_unavailable");
    },
    close: () => Promise.resolve(),
  };
  const { outcomes, rpcNames } = await settleAsGroup(losing, claims);
  assertEquals(outcomes, Array(3).fill({ refusal: "service_unavailable" }));
  assertEquals(rpcNames, ["settle_message_calls"]);
  await assertAllSettledOnce(database.admin, claims);
});

async function lockMessage(session: ISql, claim: Claim | undefined): Promise<void> {
  assert(claim !== undefined);
  await session`select from messaging.messages where id = ${claim.messageId} for update`;
}

function settleAsGroup(transport: Database, claims: readonly Claim[]): Promise<GroupOutcome> {
  return callAsGroup(transport, "settle_messages", claims.map(toRequest));
}

/** The call that settles an accepted immediate send and keeps its response. */
function toRequest({ messageId, claimToken, idempotency }: Claim): SettleMessagesRequest {
  return {
    results: [{
      ...{ messageId, claimToken, outcome: "accepted", providerMessageId: `p-${messageId}` },
    }],
    idempotency,
    response: { status: 200, body: JSON.stringify({ key: idempotency.key }) },
  };
}

/** Accepts immediate messages of one tenant, which are then in flight. */
async function claimMessages({ admin }: TestDatabase, count: number): Promise<Claim[]> {
  const { instanceId, tokenId } = await createTenant(admin);
  const claims: Claim[] = [];
  for (let number = 0; number < count; number++) {
    const idempotency = { scope: tokenId, key: `key ${number}`, fingerprint: "f" };
    const claim = await callFunction<Claim>(admin, "accept_message", {
      ...{ instanceId, idempotency, assignment: null, agent: null },
      phone: `55119876543${String(number).padStart(2, "0")}`,
      message: { messageType: "text", message: `message ${number}` },
      delivery: { queued: false, intervalSeconds: 0, delaySeconds: 0, leaseSeconds: 3_600 },
    });
    claims.push({ messageId: claim.messageId, claimToken: claim.claimToken, idempotency });
  }
  return claims;
}

async function countSettled(admin: Sql): Promise<number> {
  const rows = await admin`select from messaging.messages where status = 'sent'`;
  return rows.length;
}

/** Each is sent by one attempt, has left the queue, and has its own response under its key. */
async function assertAllSettledOnce(admin: Sql, claims: readonly Claim[]): Promise<void> {
  const rows = await admin`
    select m.id, m.status, m.attempts, m.provider_message_id, k.key, k.response->>'body' as body
    from messaging.messages m join messaging.idempotency_keys k on k.message_id = m.id`;
  const byId = new Map(rows.map(({ id, ...row }) => [id, row]));
  for (const { messageId, idempotency: { key } } of claims) {
    assertEquals(byId.get(messageId), {
      ...{ status: "sent", attempts: 1, provider_message_id: `p-${messageId}`, key },
      body: JSON.stringify({ key }),
    });
  }
  const left = await admin`
    select from messaging.message_queue where message_id in ${
    admin(claims.map((c) => c.messageId))
  }`;
  assertEquals(left.length, 0);
}

/** A settlement of the message with this number, as `drawSettlements` draws it. */
interface Draft {
  readonly message: number;
  readonly isQueued: boolean;
  readonly holdsClaim: boolean;
  readonly keepsResponse: boolean;
  readonly outcome: Readonly<Record<string, unknown>>;
}

const error = { code: "x", message: "x" };

function drawSettlements(random: SeededRandom): Draft[] {
  const chance = (share: number): boolean => random.between(0, 1) < share;
  const drafts = Array.from({ length: Math.floor(random.between(2, 20)) }, (_, message): Draft => {
    const accepted = { outcome: "accepted", providerMessageId: `p-${message}` };
    const waId = `5511${String(message).padStart(8, "7")}`;
    const isAccepted = chance(0.7);
    const others = [
      { outcome: "unknown", error },
      { outcome: "rejected", error, retryable: true, retryAfterMs: 5_000, scope: "message" },
      { outcome: "rejected", error, retryable: false, scope: "recipient" },
      { outcome: "rejected", error, retryable: true, scope: "message", isUnsent: true },
    ];
    return {
      message,
      isQueued: chance(0.3),
      holdsClaim: chance(0.85),
      keepsResponse: isAccepted && chance(0.7),
      outcome: isAccepted
        ? (chance(0.3) ? { ...accepted, waId } : accepted)
        : others[Math.floor(random.between(0, others.length))] ?? accepted,
    };
  });
  // A call that is repeated because its answer was lost.
  const repeated = drafts.find(({ outcome }) => outcome["outcome"] === "accepted");
  return repeated !== undefined && chance(0.5) ? [...drafts, repeated] : drafts;
}

interface Side {
  readonly requests: readonly SettleMessagesRequest[];
  /** The outcomes with numbers of messages for their ids. */
  describe(outcomes: readonly CallOutcome[]): unknown;
  read(): Promise<CallerView>;
}

/** A tenant with the messages of the drafts in flight. */
async function createSide(
  database: TestDatabase,
  drafts: readonly Draft[],
): Promise<Side> {
  const { admin } = database;
  const count = Math.max(...drafts.map(({ message }) => message)) + 1;
  const claims = await claimMessages(database, count);
  const ids = claims.map(({ messageId }) => messageId);
  for (const { message, isQueued } of drafts) {
    if (!isQueued) continue;
    await admin`
      update messaging.message_queue set max_attempts = 6 where message_id = ${ids[message] ?? ""}`;
  }
  return {
    requests: drafts.map(({ message, holdsClaim, keepsResponse, outcome }) => {
      const { messageId, claimToken, idempotency } = claims[message] as Claim;
      const claim = { messageId, claimToken: holdsClaim ? claimToken : crypto.randomUUID() };
      return {
        results: [{ ...claim, ...outcome } as SettledOutcome],
        idempotency: keepsResponse ? idempotency : null,
        response: keepsResponse ? { status: 200, body: `{"of":${message}}` } : null,
      };
    }),
    describe: (outcomes) =>
      outcomes.map((outcome) =>
        "result" in outcome ? outcome.result.settled.map((id: string) => ids.indexOf(id)) : outcome
      ),
    read: async () => {
      const [row] = await admin<{ instance_id: string }[]>`
        select instance_id from messaging.messages where id = ${ids[0] ?? ""}`;
      return await readCallerView(admin, row?.instance_id ?? "");
    },
  };
}
