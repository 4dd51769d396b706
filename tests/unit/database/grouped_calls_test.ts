import type { Database } from "../../../shared/database/database.ts";
import { gatherSettlements, groupCalls } from "../../../shared/database/grouped_calls.ts";
import { shedLoad } from "../../../shared/database/load_shedding.ts";
import { retryOnConflict } from "../../../shared/database/retrying_database.ts";
import { toDatabaseError } from "../../../shared/database/sqlstates.ts";
import { TenantCalls } from "../../../shared/database/tenant_calls.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assert, assertEquals, assertRejects } from "../../support/assert.ts";
import { callUntyped } from "../../support/database/untyped_calls.ts";
import { waitUntil } from "../../support/wait_until.ts";

/** A call that reached the transport, answered by the test. */
interface Batch {
  readonly name: string;
  /** What the calls in it asked for. */
  readonly asked: readonly unknown[];
  /** Answers each call with what it asked for, a group's call with null where `isTaken` is false. */
  answer(isTaken?: (asked: unknown) => boolean): void;
  fail(code: string): void;
}

/** A transport whose calls wait until the test answers them. */
function openTransport(): { batches: Batch[]; transport: Database; isClosed: () => boolean } {
  const batches: Batch[] = [];
  let isClosed = false;
  const transport: Database = {
    // deno-lint-ignore no-explicit-any -- the test decides what a call is answered with
    rpc: (name, request: any): Promise<any> => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const asked = request.calls?.map((call: { asked: unknown }) => call.asked) ?? [request.asked];
      batches.push({
        name,
        asked,
        answer: (isTaken = () => true) => {
          const results = asked.map((one: unknown) => isTaken(one) ? { got: one } : null);
          resolve(request.calls === undefined ? results[0] : { results });
        },
        fail: (code) => reject(toDatabaseError(name, code)),
      });
      return promise;
    },
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
  return { batches, transport, isClosed: () => isClosed };
}

const patient = { maxCalls: 32, slowAfterMs: 60_000 };

/** Calls settle_messages. @returns what it got, or the error's code. */
async function settle(database: Database, asked: unknown): Promise<unknown> {
  try {
    const results = [{ outcome: "accepted" }];
    return (await callUntyped(database, "settle_messages", { results, asked })).got;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** Lets everything happen that waits for no timer. */
function pass(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** A first call under way, and calls that wait for it. */
async function gather(
  database: Database,
  batches: readonly Batch[],
  asked: readonly unknown[],
): Promise<Promise<unknown>[]> {
  const first = settle(database, "first");
  const others = asked.map((one) => settle(database, one));
  batches.at(-1)?.answer();
  assertEquals(await first, "first");
  await pass();
  return others;
}

Deno.test("a call leaves at once and alone while no other is under way", async () => {
  const { batches, transport } = openTransport();
  const database = groupCalls(transport, patient);
  for (const asked of [1, 2]) {
    const answer = settle(database, asked);
    assertEquals(batches.length, asked);
    batches.at(-1)?.answer();
    assertEquals(await answer, asked);
    await pass();
  }
  assertEquals(batches.map(({ name }) => name), ["settle_messages", "settle_messages"]);
});

Deno.test("calls that come while one is under way leave together when it lands, and each gets its own result", async () => {
  const { batches, transport } = openTransport();
  const database = groupCalls(transport, patient);
  const others = await gather(database, batches, [1, 2, 3]);
  assertEquals(batches.slice(1).map(({ name, asked }) => [name, asked]), [
    ["settle_message_calls", [1, 2, 3]],
  ]);
  batches[1]?.answer();
  assertEquals(await Promise.all(others), [1, 2, 3]);
});

Deno.test("a group has 32 calls at most; the 33rd waits for the next batch", async () => {
  const { batches, transport } = openTransport();
  const database = groupCalls(transport, patient);
  const numbers = Array.from({ length: 33 }, (_, number) => number);
  const others = await gather(database, batches, numbers);
  assertEquals(batches[1]?.asked, numbers.slice(0, 32));
  assertEquals(batches.length, 2);
  batches[1]?.answer();
  await pass();
  assertEquals(batches[2]?.asked, [32]);
  batches[2]?.answer();
  assertEquals(await Promise.all(others), numbers);
});

Deno.test("a batch that takes long holds up nobody: the next one starts beside it", async () => {
  const { batches, transport } = openTransport();
  const database = groupCalls(transport, { maxCalls: 32, slowAfterMs: 20 });
  const slow = settle(database, "slow");
  const others = [1, 2].map((asked) => settle(database, asked));
  assertEquals(batches.length, 1);
  await waitUntil(() => batches.length === 2, { what: "the second batch" });
  batches[1]?.answer();
  assertEquals(await Promise.all(others), [1, 2]);
  const next = settle(database, 3);
  assertEquals(batches.length, 3, "the slow batch holds up nobody later either");
  batches[2]?.answer();
  assertEquals(await next, 3);
  batches[0]?.answer();
  assertEquals(await slow, "slow");
});

Deno.test("calls of one kind wait for none of another, and other functions are called at once", async () => {
  const { batches, transport } = openTransport();
  const database = groupCalls(transport, patient);
  const names = ["settle_messages", "authenticate_client", "get_message", "get_message"];
  const calls = names.map((name) =>
    callUntyped(database, name, { results: [{ outcome: "accepted" }], asked: name })
  );
  assertEquals(batches.map(({ name }) => name), names);
  for (const { answer } of batches) answer();
  await Promise.all(calls);
});

const notPlain: readonly (readonly [name: string, request: Readonly<Record<string, unknown>>])[] = [
  ["settle_messages", { results: [{ outcome: "unknown" }] }],
  ["settle_messages", { results: [{ outcome: "rejected" }] }],
  ["settle_messages", { results: [{ outcome: "accepted" }, { outcome: "accepted" }] }],
  ["accept_message", acceptRequest({ message: null, delivery: null })],
  ["accept_message", acceptRequest({ assignment: {} })],
  ["accept_message", acceptRequest({ agent: {} })],
  ["accept_message", acceptRequest({ delivery: { queued: true, delaySeconds: 0 } })],
  ["accept_message", acceptRequest({ delivery: { queued: false, delaySeconds: 1 } })],
  [
    "accept_message",
    acceptRequest({
      delivery: { queued: false, delaySeconds: 0, isDeferred: true },
    }),
  ],
];

function acceptRequest(changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const delivery = { queued: false, delaySeconds: 0 };
  return { message: {}, assignment: null, agent: null, delivery, ...changes };
}

Deno.test("a call that no group takes leaves at once, whatever is under way", async () => {
  for (const [name, request] of notPlain) {
    const { batches, transport } = openTransport();
    const database = groupCalls(transport, patient);
    const plain = { ...acceptRequest({}), results: [{ outcome: "accepted" }] };
    const calls = [plain, plain, { ...plain, ...request }].map((each, asked) =>
      callUntyped(database, name, { ...each, asked })
    );
    assertEquals(batches.map(({ asked }) => asked), [[0], [2]], JSON.stringify(request));
    batches[0]?.answer();
    await pass();
    for (const { answer } of batches) answer();
    await Promise.all(calls);
  }
});

Deno.test("a call that the group's function does not take runs by its own function", async () => {
  const { batches, transport } = openTransport();
  const database = groupCalls(transport, patient);
  const others = await gather(database, batches, [1, 2, 3]);
  batches[1]?.answer((asked) => asked !== 2);
  await pass();
  assertEquals(batches.slice(2).map(({ name, asked }) => [name, asked]), [["settle_messages", [
    2,
  ]]]);
  const next = settle(database, 4);
  assertEquals(batches[3]?.asked, [4], "the others go on meanwhile");
  for (const { answer } of batches.slice(2)) answer();
  assertEquals(await Promise.all([...others, next]), [1, 2, 3, 4]);
});

const rollbackCodes = [
  ...["40P01", "40001", "57014", "55P03", "23505", "22P02", "MI005", "MI055", "42883", "PGRST202"],
];
for (const code of rollbackCodes) {
  Deno.test(`a group that ${code} rolled back runs call by call: the bad call alone fails`, async () => {
    const { batches, transport } = openTransport();
    const database = groupCalls(transport, patient);
    const others = await gather(database, batches, [1, 2, 3]);
    batches[1]?.fail(code);
    await pass();
    const singles = batches.slice(2);
    assertEquals(singles.map(({ name, asked }) => [name, asked]), [
      ["settle_messages", [1]],
      ["settle_messages", [2]],
      ["settle_messages", [3]],
    ]);
    for (const batch of singles) {
      if (batch.asked[0] === 2) batch.fail("MI005");
      else batch.answer();
    }
    assertEquals(await Promise.all(others), [1, "contact_blocked", 3]);
    assertEquals(batches.length, 5);
  });
}

const unclearCodes = [
  ...["ETIMEDOUT", "CONNECTION_CLOSED", "ECONNRESET", "57P01", "57P02", "08006", "08P01", "53300"],
  ...["25006", "PGRST001", "PGRST002", "PGRST003", "HTTP_413", "XX000", "58030", "40003"],
];
for (const code of unclearCodes) {
  Deno.test(`after ${code}, which proves no rollback, no call of the group is made again: each fails as by itself`, async () => {
    const { batches, transport } = openTransport();
    const database = retryOnConflict(groupCalls(transport, patient));
    const others = await gather(database, batches, [1, 2, 3]);
    batches[1]?.fail(code);
    const outcomes = await Promise.all(others);
    const single = settle(database, "single");
    batches[2]?.fail(code);
    assertEquals(outcomes, Array(3).fill(await single));
    assertEquals(batches.length, 3);
  });
}

Deno.test("an answer that does not tell the calls apart is a defect of each, and none is made again", async () => {
  for (const answer of [{ results: [{}] }, {}, { results: [] }]) {
    const names: string[] = [];
    const database = groupCalls({
      // deno-lint-ignore no-explicit-any -- no result of any function
      rpc: async (name): Promise<any> => {
        names.push(name);
        await pass();
        return name === "settle_messages" ? { got: "first" } : answer;
      },
      close: () => Promise.resolve(),
    }, patient);
    const outcomes = await Promise.all([1, 2, 3].map((asked) => settle(database, asked)));
    assertEquals(outcomes, ["first", "wrong_count", "wrong_count"]);
    assertEquals(names, ["settle_messages", "settle_message_calls"]);
  }
});

Deno.test("a call that lost a conflict by itself, after its group did, is repeated by itself", async () => {
  const { batches, transport } = openTransport();
  const database = retryOnConflict(groupCalls(transport, patient));
  const others = await gather(database, batches, [1, 2]);
  batches[1]?.fail("40P01");
  await pass();
  batches[2]?.answer();
  batches[3]?.fail("40P01");
  await waitUntil(() => batches.length === 5, { what: "the repeated call" });
  batches[4]?.answer();
  assertEquals(await Promise.all(others), [1, 2]);
  assertEquals(batches.map(({ asked }) => asked), [["first"], [1, 2], [1], [2], [2]]);
});

Deno.test("load shedding counts the calls of a group, not the group", async () => {
  const { batches, transport } = openTransport();
  const database = shedLoad(groupCalls(transport, patient), { maxCalls: 3, waitMs: 20 });
  const authenticate = (asked: unknown): Promise<unknown> =>
    callUntyped(database, "authenticate_client", { asked }).then(({ got }) => got);
  const calls = [1, 2, 3].map(authenticate);
  const refused = authenticate(4).catch(({ code }) => code);
  assertEquals(await refused, "service_unavailable");
  batches[0]?.answer();
  await pass();
  assertEquals(batches[1]?.asked, [2, 3]);
  batches[1]?.answer();
  assertEquals(await Promise.all(calls), [1, 2, 3]);
});

Deno.test("closing lets calls leave that wait, and closes the connections after all have their answers", async () => {
  const { batches, transport, isClosed } = openTransport();
  const database = groupCalls(transport, patient);
  const calls = [1, 2, 3].map((asked) => settle(database, asked));
  const closing = database.close();
  await pass();
  assertEquals(batches.map(({ asked }) => asked), [[1], [2, 3]]);
  batches[1]?.fail("40P01");
  await pass();
  assertEquals(batches.map(({ asked }) => asked), [[1], [2, 3], [2], [3]]);
  for (const { answer } of batches.slice(2)) answer();
  await pass();
  assert(!isClosed());
  batches[0]?.answer();
  await closing;
  assert(isClosed());
  assertEquals(await Promise.all(calls), [1, 2, 3]);
});

Deno.test("while a tenant's call waits by itself, its calls join no group, and other tenants' do", async () => {
  const { batches, transport } = openTransport();
  const lone = new TenantCalls({ maxCalls: 5, waitMs: 60_000, slowAfterMs: 20 });
  const database = groupCalls(transport, patient, lone);
  const settleOf = (instanceId: string, asked: unknown): Promise<unknown> =>
    callUntyped(database, "settle_messages", {
      ...{ instanceId, asked, results: [{ outcome: "accepted" }] },
    });
  const [stuck] = [settleOf("a", "stuck")];
  await waitUntil(() => Promise.resolve(lone.isHeldUp("a")));
  const others = [settleOf("a", 1), settleOf("b", 2), settleOf("a", 3), settleOf("b", 4)];
  await pass();
  assertEquals(batches.map(({ asked }) => asked), [["stuck"], [1], [3]]);
  batches[0]?.answer();
  await stuck;
  await pass();
  assertEquals(batches.at(-1)?.asked, [2, 4]);
  for (const batch of batches.slice(1)) batch.answer();
  await Promise.all(others);
  assert(!lone.isHeldUp("a"));
});

Deno.test("of one tenant a bounded number of calls runs by itself; one more fails when its turn does not come", async () => {
  const { batches, transport } = openTransport();
  const lone = new TenantCalls({ maxCalls: 2, waitMs: 20, slowAfterMs: 60_000 });
  const database = groupCalls(transport, patient, lone);
  const read = (instanceId: string, asked: unknown): Promise<unknown> =>
    callUntyped(database, "get_message", { instanceId, asked });
  const under = [read("a", 1), read("a", 2)];
  const refusal = await assertRejects(() => read("a", 3), AppError);
  assertEquals([refusal.status, refusal.extras.headers], [503, { "Retry-After": "1" }]);
  const other = read("b", 4);
  await pass();
  assertEquals(batches.map(({ asked }) => asked), [[1], [2], [4]]);
  for (const batch of batches.splice(0)) batch.answer();
  await Promise.all([...under, other]);
  const next = read("a", 5);
  await pass();
  batches[0]?.answer();
  assertEquals(await next, { got: 5 });
});

Deno.test("gathered acceptances leave together, after a moment or once they fill a group, and all else at once", async () => {
  const { batches, transport } = openTransport();
  const database = gatherSettlements(transport);
  const acceptances = [1, 2, 3].map((asked) => settle(database, asked));
  const refusal = callUntyped(database, "settle_messages", {
    results: [{ outcome: "rejected" }],
    asked: "refusal",
  });
  const other = callUntyped(database, "get_message", { asked: "other" });
  assertEquals(batches.map(({ asked }) => asked), [["refusal"], ["other"]]);
  await waitUntil(() => batches.length === 3, { what: "the group" });
  assertEquals([batches[2]?.name, batches[2]?.asked], ["settle_message_calls", [1, 2, 3]]);
  for (const { answer } of batches) answer();
  assertEquals(await Promise.all(acceptances), [1, 2, 3]);
  await Promise.all([refusal, other]);

  const numbers = Array.from({ length: 33 }, (_, number) => number);
  const many = numbers.map((asked) => settle(database, asked));
  assertEquals(batches.length, 4, "a full group waits for nobody");
  assertEquals(batches[3]?.asked, numbers.slice(0, 32));
  batches[3]?.answer();
  await waitUntil(() => batches.length === 5, { what: "the last one, alone" });
  assertEquals([batches[4]?.name, batches[4]?.asked], ["settle_messages", [32]]);
  batches[4]?.answer();
  assertEquals(await Promise.all(many), numbers);
});
