import type { Sql } from "postgres";
import { assert } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countMostRowsRead } from "../../support/database/rows_read.ts";
import { analyzeBurst, createBurst, withoutWaitingStatuses } from "../../support/fixtures/burst.ts";

/** Instances of the burst. */
const burst = 1_000;
/** Messages, rows or events of one call. */
const batch = 40;
/** Calls of one group. */
const group = 32;
/** Rows that a call may read for each of its own. Reading the burst once per row reads 1,000. */
const tolerated = burst / 7;

type Json = Readonly<Record<string, unknown>>;

const places = Array.from({ length: batch }, (_, place) => place + 1);

async function md5Ids(sql: Sql, prefix: string): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select md5(${prefix}::text || n)::uuid as id from generate_series(1, ${batch}::integer) n`;
  return rows.map(({ id }) => id);
}

type NamedRequest = readonly [name: string, what: string, request: Json];

/** The calls of the dispatcher and of webhooks, each of up to `batch`. */
async function burstRequests(sql: Sql): Promise<readonly NamedRequest[]> {
  const [claimed, tokens, lost, working, [instanceId = ""]] = await Promise.all(
    ["claimed", "claim", "lost", "working", "burst"].map((prefix) => md5Ids(sql, prefix)),
  ) as [string[], string[], string[], string[], string[]];
  const settle = (ids: readonly string[], result: (place: number) => Json): Json => ({
    results: ids.map((messageId, place) => ({
      ...{ messageId, claimToken: tokens[place] },
      ...result(place + 1),
    })),
  });
  const error = { code: "x", message: "x" };
  const record = (event: (place: number) => Json): Json => ({
    ...{ instanceId, sealedProviderConfig: null, payload: "{}", events: places.map(event) },
  });
  const person = (place: number): string => String(5_521_990_000_000 + place);
  const message = { kind: "message", messageType: "text", message: "claimed", isGroup: false };
  return [
    ["claim_due_messages", "claims", { maxMessages: batch, leaseSeconds: 30 }],
    [
      "settle_messages",
      "accepted",
      settle(claimed, (place) => ({
        ...{ outcome: "accepted", providerMessageId: `early${place}`, waId: person(place) },
      })),
    ],
    [
      "settle_messages",
      "rejected",
      settle(claimed, () => ({
        ...{ outcome: "rejected", error, retryable: true, retryAfterMs: 1_000 },
      })),
    ],
    ["settle_messages", "in doubt", settle(claimed, () => ({ outcome: "unknown", error }))],
    [
      "settle_messages",
      "whole instance refused",
      settle(claimed, () => ({
        ...{ outcome: "rejected", error, scope: "instance", isOutage: true },
      })),
    ],
    [
      "settle_messages",
      "late",
      settle(lost, (place) => ({
        ...{ claimToken: instanceId, outcome: "accepted", providerMessageId: `early${place}` },
      })),
    ],
    ["expire_claims", "lapsed", { maxMessages: batch }],
    ["retry_unconfirmed", "doubtful", { maxMessages: batch }],
    ["rescue_stalled_instances", "stalled", { maxInstances: batch }],
    ["move_waiting_slots", "planned", {}],
    ["purge_expired", "over", { maxRows: batch }],
    ["claim_outbox", "due", { kinds: ["agent_reply"], maxRows: batch, leaseSeconds: 30 }],
    ["settle_outbox", "done", {
      ...{ outboxId: working[0], claimToken: tokens[0], outcome: "done" },
    }],
    [
      "record_provider_events",
      "inbound",
      record((place) => ({
        ...{ ...message, origin: "inbound", providerMessageId: `in${place}`, address: person(1) },
      })),
    ],
    [
      "record_provider_events",
      "new persons",
      record((place) => ({
        ...{ ...message, origin: "inbound", providerMessageId: `in${place}` },
        ...{ address: person(place + burst), otherAddresses: [`${place}@lid`] },
      })),
    ],
    [
      "record_provider_events",
      "echoes",
      record((place) => ({
        ...{ ...message, origin: "echo", mayBeOurs: true, providerMessageId: `typed${place}` },
        address: person(1),
      })),
    ],
    [
      "record_provider_events",
      "statuses",
      record(() => ({
        ...{ kind: "status", providerMessageId: "sent1", status: "delivered" },
      })),
    ],
    [
      "record_provider_events",
      "unmatched statuses",
      record((place) => ({
        ...{ kind: "status", providerMessageId: `new${place}`, status: "delivered" },
      })),
    ],
    ["list_message_queue", "page", { instanceId, limit: batch, after: null }],
    ["get_instance_health", "health", { instanceId }],
  ];
}

/** The groups of calls, each of `group`. */
async function groupRequests(sql: Sql): Promise<readonly NamedRequest[]> {
  const rows = await sql<Record<"instance" | "message" | "token" | "hash" | "version", string>[]>`
    select md5('burst' || n)::uuid as instance, md5('plain' || n)::uuid as message,
      md5('claim' || n)::uuid as token, encode(sha256(n::text::bytea), 'hex') as hash,
      i.xmin::text as version
    from generate_series(1, ${group}::integer) n
    join messaging.instances i on i.id = md5('burst' || n)::uuid
    order by n`;
  const callAll = (toCall: (row: typeof rows[number], number: number) => Json): Json => ({
    calls: rows.map((row, place) => toCall(row, place + 1)),
  });
  const accept = (firstPerson: number) => (row: typeof rows[number], number: number): Json => ({
    ...{ instanceId: row.instance, phone: String(5_521_990_000_000 + firstPerson + number) },
    ...{ assignment: null, agent: null, message: { messageType: "text", message: "new" } },
    idempotency: { scope: "new", key: String(number), fingerprint: "f" },
    delivery: { queued: false, intervalSeconds: 0, delaySeconds: 0, leaseSeconds: 30 },
    authentication: {
      ...{ tokenHash: row.hash, functionName: "send-message", instanceVersion: row.version },
    },
  });
  const record =
    (toEvent: (number: number) => Json) => (row: typeof rows[number], number: number) => ({
      ...{ instanceId: row.instance, sealedProviderConfig: null, payload: "{}" },
      events: [toEvent(number)],
    });
  const message = (person: number): Json => ({
    ...{ kind: "message", origin: "inbound", messageType: "text", message: "in", isGroup: false },
    ...{ providerMessageId: `in${person}`, address: String(5_521_990_000_000 + person) },
    otherAddresses: [`${person}@lid`],
  });
  const settle = (row: typeof rows[number], number: number, shown: Json = {}): Json => ({
    ...{ messageId: row.message, claimToken: row.token, outcome: "accepted", ...shown },
    providerMessageId: `accepted${number}`,
  });
  return [
    ["accept_messages", "known persons", callAll(accept(0))],
    ["accept_messages", "new persons", callAll(accept(burst))],
    ["settle_messages", "plain", { results: rows.map((row, place) => settle(row, place + 1)) }],
    [
      "settle_message_calls",
      "plain",
      callAll((row, number) => ({
        results: [settle(row, number)],
        ...{ idempotency: { scope: "plain", key: String(number) }, response: { status: 200 } },
      })),
    ],
    [
      "settle_message_calls",
      "with addresses",
      callAll((row, number) => ({
        results: [settle(row, number, { waId: String(5_521_990_000_000 + number) })],
      })),
    ],
    [
      "authenticate_clients",
      "tokens",
      callAll(({ hash }) => ({ tokenHash: hash, functionName: "send-message" })),
    ],
    ["record_provider_event_calls", "known persons", callAll(record(message))],
    [
      "record_provider_event_calls",
      "new persons",
      callAll(record((number) => message(burst + number))),
    ],
    [
      "record_provider_event_calls",
      "statuses",
      callAll(record((number) => ({
        ...{ kind: "status", providerMessageId: `sent${number}`, status: "delivered" },
      }))),
    ],
  ];
}

/** Measures the calls about the burst, of `rows` rows each. */
async function measure(
  test: Deno.TestContext,
  session: Sql,
  requests: readonly NamedRequest[],
  rows: number,
): Promise<void> {
  for (const [name, what, request] of requests) {
    await test.step(`${name}: ${what}`, async () => {
      const most = await countMostRowsRead(session, (sql) => callFunction(sql, name, request));
      assert(most <= rows * tolerated, `${most} rows read for ${rows} of ${burst}`);
    });
  }
}

Deno.test("no dispatcher's, webhook's or group's call reads a burst once per row, whatever Postgres knows of the tables", async (test) => {
  await using database = await createTestDatabase({ own: true });
  const { admin } = database;
  await createBurst(admin, burst);
  for (const analyzed of ["all empty", "drained", "full"] as const) {
    await analyzeBurst(admin, burst, analyzed);
    await test.step(`analyzed ${analyzed}`, async (step) => {
      const session = database.connect({ role: "superuser", max: 1 });
      // A plan that reads the burst once per row would take minutes.
      await session`set statement_timeout = '120s'`;
      // Where everything has just begun there is no burst to dispatch yet, but there are callers.
      const bursts = analyzed === "all empty" ? [] : await burstRequests(admin);
      await measure(step, session, bursts, batch);
      const groups = await groupRequests(admin);
      await measure(step, session, groups, group);
      await step.step(
        "where no delivery event waits for its message",
        (step) => withoutWaitingStatuses(admin, burst, () => measure(step, session, groups, group)),
      );
    });
  }
});
