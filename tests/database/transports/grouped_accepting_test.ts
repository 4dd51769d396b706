import type { Sql } from "postgres";
import { hashClientToken } from "../../../shared/crypto/client_token.ts";
import type { Database } from "../../../shared/database/database.ts";
import { openDirectDatabase } from "../../../shared/database/direct_database.ts";
import type { AcceptMessageRequest } from "../../../shared/database/rpcs/messages.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { callAsGroup, type CallOutcome, callSingly } from "../../support/database/call_groups.ts";
import { type CallerView, readCallerView } from "../../support/database/caller_view.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { holdWrites } from "../../support/database/held_writes.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countMixes, transports } from "../../support/database/transports.ts";
import { surviveBrokenWrites } from "../../support/faults/driver_faults.ts";
import { createAgent, createTenant, type Tenant } from "../../support/fixtures/tenant.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { createSeededRandom, type SeededRandom } from "../../support/seeded_random.ts";
import { waitUntil } from "../../support/wait_until.ts";

surviveBrokenWrites();

const direct = transports[0];
assert(direct?.name === "direct");

const unavailable = { refusal: "service_unavailable" };

for (const transport of transports) {
  Deno.test(`${transport.name}: any mix of grouped sending calls gives what the same calls give one by one`, async () => {
    const random = createSeededRandom();
    await using database = await createTestDatabase();
    await using open = transport.open(database.url);
    for (let round = 0; round < countMixes(transport, 6); round++) {
      const drafts = drawCalls(random).toSorted((one, other) => rank(one) - rank(other));
      const [grouped, single] = [await createSide(database), await createSide(database)];
      // What never waits for a group has ended by then: a call whose contact is locked leaves its group.
      const [alone, together] = [drafts.filter(isAlone), drafts.filter((draft) => !isAlone(draft))];
      const at = (draft: typeof drafts[number]): AcceptMessageRequest => grouped.at(draft);
      const outcomes = [
        ...await callSingly(open.database, "accept_message", alone.map(at)),
        ...(await callAsGroup(open.database, "accept_message", together.map(at))).outcomes,
      ];
      const expected = await callSingly(
        open.database,
        "accept_message",
        drafts.map((draft) => single.at(draft)),
      );
      const seed = `seed ${random.seed}, round ${round}`;
      assertEquals(describe(outcomes), describe(expected), seed);
      assertEquals(await grouped.read(), await single.read(), seed);
    }
  });
}

Deno.test("33 calls that wait are a group of 32 and one alone, and 33 messages", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const requests = await createRequests(database.admin, 33);
  const { outcomes, rpcNames } = await callAsGroup(open.database, "accept_message", requests);
  const ids = new Set(outcomes.map((outcome) => "result" in outcome && outcome.result.messageId));
  assertEquals(ids.size, 33);
  assertEquals(rpcNames, ["accept_messages", "accept_message"]);
  assertEquals(await countMessages(database.admin), 33);
});

Deno.test("of two equal keys in a group one is executed, and the other is told so by itself", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const [one, two, other] = await createRequests(database.admin, 3);
  assert(one?.idempotency && two && other?.idempotency);
  const reused = { ...other.idempotency, key: one.idempotency.key };
  const { outcomes } = await callAsGroup(open.database, "accept_message", [
    one,
    { ...two, idempotency: one.idempotency },
    { ...other, idempotency: { ...reused, fingerprint: "another body" } },
  ]);
  assertEquals(outcomes.map((outcome) => "refusal" in outcome ? outcome.refusal : "accepted"), [
    "accepted",
    "idempotency_key_in_progress",
    "idempotency_key_reused",
  ]);
  assertEquals(await countMessages(database.admin), 1);
});

Deno.test("a bad call rolls its group back, and fails alone", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const requests = await createRequests(database.admin, 3);
  const { outcomes, rpcNames } = await callAsGroup(
    open.database,
    "accept_message",
    requests.map((request, number) =>
      number === 1 ? { ...request, instanceId: "not-a-uuid" } : request
    ),
  );
  assertEquals(outcomes[1], { defect: "22P02" });
  assertEquals(outcomes.map((outcome) => "result" in outcome), [true, false, true]);
  assertEquals(rpcNames, ["accept_messages", ...Array(3).fill("accept_message")]);
  assertEquals(await countMessages(database.admin), 2);
});

Deno.test("a group whose statement the server cancels is recorded call by call, each once", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const requests = await createRequests(database.admin, 3);
  const held = await holdWrites(database.admin);
  const accepting = callAsGroup(open.database, "accept_message", requests);
  await held.end("pg_cancel_backend");
  await held.release();
  const { outcomes, rpcNames } = await accepting;
  assertEquals(outcomes.every((outcome) => "result" in outcome), true);
  assertEquals(rpcNames, ["accept_messages", ...Array(3).fill("accept_message")]);
  assertEquals(await countMessages(database.admin), 3);
});

Deno.test("a group whose session is killed is made again by nobody, and leaves nothing", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const requests = await createRequests(database.admin, 3);
  const held = await holdWrites(database.admin);
  const accepting = callAsGroup(open.database, "accept_message", requests);
  await held.end("pg_terminate_backend");
  const { outcomes, rpcNames } = await accepting;
  await held.release();
  assertEquals(outcomes, Array(3).fill(unavailable));
  assertEquals(rpcNames, ["accept_messages"]);
  assertEquals(await countMessages(database.admin), 0);
});

Deno.test("a group that times out is made again by nobody, so it is no second message of any call", async () => {
  await using database = await createTestDatabase();
  const requests = await createRequests(database.admin, 3);
  const timeoutMs = 10_123;
  using timeouts = holdTimers(timeoutMs);
  const impatient = openDirectDatabase(database.url, { timeoutMs });
  await using _ = { [Symbol.asyncDispose]: () => impatient.close() };
  const held = await holdWrites(database.admin);
  const accepting = callAsGroup(impatient, "accept_message", requests);
  await held.untilHeld();
  timeouts.end();
  const { outcomes, rpcNames } = await accepting;
  assertEquals(outcomes, Array(3).fill(unavailable));
  assertEquals(rpcNames, ["accept_messages"]);
  await held.release();
  await waitUntil(() => countMessages(database.admin), { what: "the abandoned group" });
  assertEquals(await countMessages(database.admin), 3);
  await using open = direct.open(database.url);
  const again = await callAsGroup(open.database, "accept_message", requests);
  assertEquals(again.outcomes, Array(3).fill({ refusal: "idempotency_key_in_progress" }));
  assertEquals(await countMessages(database.admin), 3);
});

Deno.test("a group whose connection is lost after it was executed is made again by nobody: one message a call", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const requests = await createRequests(database.admin, 3);
  const losing: Database = {
    rpc: async (name, request) => {
      await open.database.rpc(name, request);
      throw new AppError("service_unavailable");
    },
    close: () => Promise.resolve(),
  };
  const { outcomes, rpcNames } = await callAsGroup(losing, "accept_message", requests);
  assertEquals(outcomes, Array(3).fill(unavailable));
  assertEquals(rpcNames, ["accept_messages"]);
  assertEquals(await countMessages(database.admin), 3);
});

Deno.test("a token that is revoked before its group runs records nothing, and the group's other calls are recorded", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const [revoked, other] = [
    await createWarmClient(database, open.database, 4),
    await createWarmClient(database, open.database, 4),
  ];
  const { instanceId, tokenId } = revoked.tenant;
  await callFunction(database.sql, "revoke_client_token", { instanceId, tokenId });
  const { outcomes } = await callAsGroup(open.database, "accept_message", [
    revoked.request(0),
    other.request(1),
    revoked.request(2),
    other.request(3),
  ]);
  assertEquals(outcomes.map(readLimit), [{ defect: "MI022" }, 2, { defect: "MI022" }, 1]);
  assertEquals(await countMessages(database.admin), 2);
});

Deno.test("calls prepared with a former state of their instance record nothing, and the group's other calls are recorded", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const [changed, other] = [
    await createWarmClient(database, open.database, 4),
    await createWarmClient(database, open.database, 4),
  ];
  await callFunction(database.sql, "update_instance", {
    instanceId: changed.tenant.instanceId,
    changes: { name: "Outra" },
  });
  const { outcomes } = await callAsGroup(open.database, "accept_message", [
    other.request(0),
    changed.request(1),
  ]);
  assertEquals(outcomes.map(readLimit), [2, { defect: "MI022" }]);
  assertEquals(await countMessages(database.admin), 1);
});

Deno.test("a limit that ends within a group of sends records as many as are left, and the others are told to authenticate", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  // Preparing the calls counts as one.
  const limited = await createWarmClient(database, open.database, 4);
  const other = await createWarmClient(database, open.database, 4);
  const { outcomes, rpcNames } = await callAsGroup(open.database, "accept_message", [
    ...[0, 1, 2, 3, 4].map(limited.request),
    other.request(5),
  ]);
  assertEquals(rpcNames, ["accept_messages", ...Array(6).fill("accept_message")]);
  const limits = outcomes.map(readLimit);
  assertEquals(limits.pop(), 2);
  const recorded = limits.filter((limit) => typeof limit === "number");
  assertEquals(recorded.toSorted(), [0, 1, 2]);
  assertEquals(limits.filter((limit) => typeof limit !== "number"), [
    { defect: "MI022" },
    { defect: "MI022" },
  ]);
  assertEquals(await countMessages(database.admin), 4);
});

Deno.test("n sends of a token in a group are one count of n, each with what then remains", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const client = await createWarmClient(database, open.database, 5);
  const numbers = [0, 1, 2];
  const { outcomes, rpcNames } = await callAsGroup(
    open.database,
    "accept_message",
    numbers.map(client.request),
  );
  assertEquals(rpcNames, ["accept_messages"]);
  assertEquals(outcomes.map(readLimit), numbers.map((number) => 3 - number));
});

/** What remains of the limit after a recorded call, or why it was not recorded. */
function readLimit(outcome: CallOutcome): unknown {
  return "result" in outcome ? outcome.result.rateLimit?.remaining : outcome;
}

interface WarmClient {
  readonly tenant: Tenant;
  /** A call that its own transaction is to authenticate. */
  readonly request: (number: number) => AcceptMessageRequest;
}

/**
 * A tenant whose token was authenticated once, and counted. Of a small limit no call comes back for many
 * seconds, however slow the machine is.
 */
async function createWarmClient(
  { admin }: TestDatabase,
  transport: Database,
  requestsPerMinute: number,
): Promise<WarmClient> {
  const tenant = await createTenant(admin);
  await admin`
    update messaging.instances set requests_per_minute = ${requestsPerMinute}
    where id = ${tenant.instanceId}`;
  const named = {
    tokenHash: await hashClientToken(tenant.token),
    functionName: "send-message",
  };
  const { instanceVersion } = await transport.rpc("authenticate_client", named);
  assert(instanceVersion !== null);
  return {
    tenant,
    request: (number) => ({
      ...toRequest(tenant, { number, kind: "plain", phone: `551198765000${number}`, key: null }),
      authentication: { ...named, instanceVersion },
    }),
  };
}

Deno.test("calls that pause no agent are recorded as a group where the instance has none", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const requests = (await createRequests(database.admin, 4)).map((request) => ({
    ...request,
    message: request.message && { ...request.message, pausesAgent: false as const },
  }));
  const { rpcNames } = await callAsGroup(open.database, "accept_message", requests);
  assertEquals(rpcNames, ["accept_messages"]);
  const stored = await database.admin`select from messaging.messages where not pauses_agent`;
  assertEquals(stored.length, 4);
});

async function countMessages(admin: Sql): Promise<number> {
  return (await admin`select from messaging.messages`).length;
}

/** Immediate sends of one tenant, each with its own key, text and contact. */
async function createRequests(admin: Sql, count: number): Promise<AcceptMessageRequest[]> {
  const tenant = await createTenant(admin);
  return Array.from({ length: count }, (_, number) =>
    toRequest(tenant, {
      ...{ number, key: `key ${number}`, phone: `5511987650${String(number).padStart(3, "0")}` },
      kind: "plain",
    }));
}

/** A sending call; `kind` says why a group may leave it out. */
interface Draft {
  readonly number: number;
  readonly kind: typeof kinds[number];
  readonly phone: string;
  readonly key: string | null;
}

const kinds = [
  ...["plain", "plain", "plain", "operator", "blocked", "closed window"] as const,
  ...["agent's words", "delayed", "assignment", "unknown instance", "other body"] as const,
  "pauses no agent",
] as const;

const blockedPhone = "5511900000000";

function toRequest(tenant: Tenant, { number, kind, phone, key }: Draft): AcceptMessageRequest {
  const sentBy = kind === "operator"
    ? "operator"
    : kind === "agent's words"
    ? "ai_agent"
    : undefined;
  return {
    instanceId: kind === "unknown instance" ? crypto.randomUUID() : tenant.instanceId,
    phone: kind === "blocked" ? blockedPhone : phone,
    idempotency: key === null ? null : {
      ...{ scope: tenant.tokenId, key },
      fingerprint: kind === "other body" ? "other" : "f",
    },
    assignment: kind === "assignment" ? { assignTo: "nobody@example.com" } : null,
    agent: null,
    message: {
      ...{ messageType: "text", message: `message ${number}`, content: null, sentBy },
      pausesAgent: kind === "pauses no agent" ? false : undefined,
    },
    delivery: {
      ...{ queued: false, intervalSeconds: 0, leaseSeconds: 3_600 },
      delaySeconds: kind === "delayed" ? 60 : 0,
    },
  };
}

function drawCalls(random: SeededRandom): (Draft & { readonly isOfficial: boolean })[] {
  const draw = (below: number): number => Math.floor(random.between(0, below));
  return Array.from({ length: 2 + draw(20) }, (_, number) => {
    const kind = kinds[draw(kinds.length)] ?? "plain";
    const isPlain = ["plain", "operator", "other body"].includes(kind);
    return {
      ...{ number, kind, phone: `551198765000${draw(6)}` },
      key: isPlain && draw(2) === 0 ? `key ${draw(6)}` : null,
      isOfficial: kind === "closed window",
    };
  });
}

/** What never waits for a group. */
function isAlone({ kind }: Pick<Draft, "kind">): boolean {
  return ["delayed", "assignment"].includes(kind);
}

/** What never waits for a group goes first, and what its function leaves out goes last. */
function rank({ kind }: Draft): number {
  if (isAlone({ kind })) return 0;
  return ["plain", "operator", "other body"].includes(kind) ? 1 : 2;
}

interface Side {
  at(draft: Draft & { readonly isOfficial: boolean }): AcceptMessageRequest;
  /** What can be read of both. */
  read(): Promise<CallerView[]>;
}

/** A gateway's instance and one of the official channel, both with known contacts and an agent. */
async function createSide({ admin }: TestDatabase): Promise<Side> {
  const gateway = await createTenant(admin);
  const official = await createTenant(admin, { provider: "whatsapp_cloud" });
  for (const { instanceId } of [gateway, official]) {
    await createAgent(admin, instanceId);
    for (const phone of ["5511987650000", "5511987650001", blockedPhone]) {
      await callFunction(admin, "save_contact", {
        ...{ instanceId, phone, idempotency: null, tags: null },
        fields: { isBlocked: phone === blockedPhone },
      });
    }
  }
  await admin`
    update messaging.contacts set last_inbound_at = now() - interval '2 days'
    where instance_id = ${official.instanceId}`;
  return {
    at: (draft) => toRequest(draft.isOfficial ? official : gateway, draft),
    read: () =>
      Promise.all(
        [gateway, official].map(({ instanceId }) => readCallerView(admin, instanceId)),
      ),
  };
}

/** The outcomes with numbers for ids in the order of their appearance, and without instants. */
function describe(outcomes: readonly CallOutcome[]): unknown {
  const seen = new Map<string, string>();
  const text = JSON.stringify(outcomes)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      if (!seen.has(id)) seen.set(id, `<${seen.size}>`);
      return seen.get(id) ?? "";
    })
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+[-+]\d{2}:\d{2}/g, "<instant>");
  return JSON.parse(text);
}
