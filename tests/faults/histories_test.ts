import { assertGreater, assertMatch, assertThrows } from "../support/assert.ts";
import { printFigures } from "../support/faults/figures.ts";
import { QueueClock } from "../support/faults/queue_clock.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import type { LastBatch } from "../support/model/check_batches.ts";
import {
  checkFollower,
  checkHistory,
  checkPace,
  type WholeHistory,
} from "../support/model/check_history.ts";
import {
  type HistoryCall,
  intervalSeconds,
  numbers,
  startCallers,
} from "../support/model/concurrent_callers.ts";
import { type FeedEvent, ModelRun } from "../support/model/model_run.ts";
import {
  leaseSeconds,
  type ProviderCall,
  type ServiceWorld,
  startWorld,
} from "../support/model/service_world.ts";
import { createSeededRandom } from "../support/seeded_random.ts";

const settings = readFaultSettings();
const { kills = 1, concurrency = 4, minutes = 0 } = settings;

Deno.test(`no history of ${concurrency} callers and ${kills} kills is impossible`, async () => {
  const { seed } = createSeededRandom(settings.seed);
  const endsAt = performance.now() + minutes * 60_000;
  // Each history has a seed of its own, with which it is the first of a run.
  for (let place = 0; place === 0 || performance.now() < endsAt; place++) {
    await makeHistory(seed + place);
  }
});

/** Lets callers act, and judges what they were told. */
async function makeHistory(seed: number): Promise<void> {
  const random = createSeededRandom(seed);
  await using world = await startWorld(() => random.between(0, 60));
  const tenant = await world.createTenant();
  const run = new ModelRun(world, tenant);
  const clock = new QueueClock(world.admin, tenant.instanceId);
  world.follow(() => clock.skippedMs);
  printFigures("histories", { seed: random.seed });
  const callers = startCallers(world, tenant, random, concurrency);
  const followed: FeedEvent[] = [];
  let after = "oldest";
  const follow = async (): Promise<void> => {
    const answer = await world.call(
      tenant,
      `events-api/events?after=${encodeURIComponent(after)}&limit=1000`,
    );
    if (answer?.status !== 200) return;
    followed.push(...answer.body.items);
    after = answer.body.nextCursor ?? after;
  };
  for (let lives = 0; lives <= kills; lives++) {
    await workFor(world, clock, follow, random.between(2_000, 4_000));
    if (lives < kills) await world.killAndRestart();
  }
  await callers.stop();
  await callers.resume();
  await untilNothingWaits(world, run);
  await follow();
  await callers.readAll();
  const whole = {
    history: callers.history,
    providerCalls: world.providerCalls,
    records: await run.readMessages(),
    feed: await run.readFeed(),
    batches: await readBatches(run),
  };
  checkHistory(whole);
  checkPace(whole.providerCalls, intervalSeconds);
  checkFollower(whole, followed);
  printFigures("histories", {
    ...{ seed: random.seed, kills, calls: callers.history.length },
    unanswered: callers.history.filter(({ answer }) => answer === null).length,
    ...{ messages: whole.records.length, events: whole.feed.length },
  });
  assertGreater(world.providerCalls.length, 0);
}

async function readBatches(run: ModelRun): Promise<LastBatch[]> {
  const { items } = await run.expect(200, "batches-api/batches?limit=100");
  return await Promise.all(
    items.map(async (record: LastBatch["record"]) => {
      const path = `batches-api/batches/${record.batchId}/recipients?limit=100`;
      return {
        batchId: record.batchId,
        record,
        recipients: (await run.expect(200, path)).items,
      };
    }),
  );
}

/** Dispatchers run, and the queue's waits pass quickly. */
async function workFor(
  world: ServiceWorld,
  clock: QueueClock,
  follow: () => Promise<void>,
  ms: number,
): Promise<void> {
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt) {
    await world.beginDispatch();
    for (let turn = 0; turn < 5 && performance.now() < endsAt; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 180));
      await clock.skipWait(50);
      await follow();
    }
  }
}

async function untilNothingWaits(world: ServiceWorld, run: ModelRun): Promise<void> {
  // Ends after the runs that are under way, so that nothing is in flight when time passes.
  for (let runs = 0; runs < 2; runs++) await world.dispatch();
  await world.skip(leaseSeconds);
  for (let left = 500;; left--) {
    await world.dispatch(1);
    const [next] = (await run.expect(200, "messages-api/queue?limit=1")).items;
    const erasing = await world.admin`select from messaging.erasures where status = 'pending'`;
    if (next === undefined && erasing.length === 0) return;
    if (left === 0) throw new Error("messages or erasures wait for ever");
    if (next === undefined) continue;
    const wait = (Date.parse(next.scheduledFor) - Date.now()) / 1_000;
    await world.skip(Math.max(wait, 0.1));
  }
}

Deno.test("an assignment that is read and then forgotten is an impossible history", () => {
  const read = (at: At, assignedTo: string | null): HistoryCall =>
    call({ kind: "conversation", number: 0 }, at, {
      items: [{ contactId: "c", assignedTo, status: "open" }],
    });
  const assign = call({ kind: "assign", to: "ana", number: 0 }, [0, 10], {
    ...{ contactId: "c", previousAssignedTo: null },
  });
  const begin = call({ kind: "status", status: "open", number: 0 }, [-2, -1], { contactId: "c" });
  // While it is assigned both may be read; after it only one of them, and never first the new one.
  judge([begin, assign, read([1, 2], null), read([3, 4], "ana"), read([11, 12], "ana")]);
  isImpossible([begin, assign, read([11, 12], null)]);
  isImpossible([begin, assign, read([1, 2], "ana"), read([3, 4], null)]);
});

Deno.test("a merged id that finds another contact, or an erased one that finds any, is an impossible history", () => {
  const send = (number: number, at: At, contactId: string): HistoryCall =>
    call({ kind: "status", status: "open", number }, at, { contactId });
  const both = [send(0, [0, 1], "a"), send(1, [2, 3], "b")];
  const merge = call({ kind: "merge", contactId: "b", intoContactId: "a" }, [4, 6], {
    contactId: "a",
  });
  const read = (id: string, at: At, contactId: string | null): HistoryCall =>
    call(
      { kind: "contact", contactId: id },
      at,
      { contactId, conversation: { assignedTo: null, status: "open" } },
      contactId === null ? 410 : 200,
    );
  judge([...both, merge, read("b", [4, 5], "b"), read("b", [7, 8], "a"), send(1, [9, 10], "a")]);
  isImpossible([...both, merge, read("b", [7, 8], "b")]);
  isImpossible([...both, merge, read("b", [7, 8], null)]);
  isImpossible([...both, merge, send(1, [7, 8], "c")]);
  const erase = call({ kind: "erase", contactId: "b" }, [10, 11], {}, 202);
  const done = call({ kind: "erasure", contactId: "b" }, [12, 13], {
    ...{ contactId: "a", status: "done" },
  });
  const erased = [...both, merge, erase, done];
  judge([...erased, read("a", [14, 15], null), send(0, [16, 17], "d"), send(1, [18, 19], "e")]);
  isImpossible([...erased, read("a", [14, 15], "a")]);
  isImpossible([...erased, send(0, [14, 15], "a")]);
});

Deno.test("a message that is there, was read or left after its person's erasure is an impossible history", () => {
  const [text, messageId] = ["m1 accepted", "i"];
  const send = call({ kind: "send", text, key: "k", number: 0 }, [0, 1], {
    ...{ contactId: "a", messageId, status: "queued" },
  });
  const read = (at: At, status: number): HistoryCall =>
    call({ kind: "read", text, messageId }, at, { messageId, status: "queued" }, status);
  const erase = call({ kind: "erase", contactId: "a" }, [4, 5], {}, 202);
  const done = call({ kind: "erasure", contactId: "a" }, [6, 7], {
    ...{ contactId: "a", status: "done" },
  });
  const history = [send, read([2, 3], 200), erase, done];
  const left = (arrivedAt: number): ProviderCall => ({
    ...{ gateway: "g", to: "5511987654321", text, atMs: 0, arrivedAt, providerMessageId: "p" },
  });
  const record = { message: text, messageId, contactId: "a", status: "sent" };
  const told = { ...{ id: "e", sequence: 1 }, data: { messageId, contact: { contactId: "a" } } };
  judge([...history, read([8, 9], 404)], { providerCalls: [left(3)] });
  for (
    const [further, known, breach] of [
      [[read([8, 9], 200)], {}, /was queued and then gone|was read after/],
      [[read([5, 6], 404), read([7, 8], 200)], {}, /was gone and then queued/],
      [[], { providerCalls: [left(8)] }, /left after its contact's erasure/],
      [[], { records: [record] }, /is there after its contact's erasure/],
      [[], { feed: [{ type: "message.sent", ...told }] }, /the feed tells message.sent of a/],
    ] as const
  ) {
    assertMatch(
      assertThrows(() => judge([...history, ...further], known), Error).message,
      breach,
    );
  }
});

Deno.test("a batch that forgets a recipient, or its state, is an impossible history", () => {
  const batchId = "b";
  const recipients = [0, 1].map((number) => ({ text: `m${number} queued`, person: 0, number }));
  const create = { ...call({ kind: "createBatch", recipients }, [0, 1], { batchId }, 201) };
  const counts = { pending: 0, queued: 0, sent: 2, skipped: 0 };
  const act = (
    action: string,
    at: At,
    status: string,
    shown: Readonly<Record<string, number>> = counts,
  ): HistoryCall => ({
    ...call({ kind: "batch", batchId, action }, at, {
      ...{ status, counts: shown, recipientCount: 2 },
    }),
    person: null,
  });
  const records = recipients.map(({ text }, index) => ({
    ...{ message: text, messageId: `i${index}`, contactId: `c${index}`, status: "sent" },
  }));
  const ended = { type: "batch.finished", id: "z", sequence: 9, data: { batchId } };
  const whole: Partial<WholeHistory> = {
    records,
    providerCalls: recipients.map(({ text, number }) => ({
      ...{ gateway: "g", to: numbers[0]?.[number]?.[0] ?? "", text, atMs: 0 },
      ...{ arrivedAt: 20 + number, providerMessageId: "p" },
    })),
    feed: [
      ...records.map(({ messageId }, place) => ({
        ...{ type: "message.sent", id: messageId, sequence: place, data: { messageId } },
      })),
      ended,
    ],
    batches: [{
      batchId,
      record: { status: "finished", counts, recipientCount: 2 },
      recipients: records.map(({ messageId, contactId, status }, index) => ({
        ...{ index, messageId, contactId, status },
      })),
    }],
  };
  const start = act("start", [2, 3], "running");
  const history = [{ ...create, person: null }, start, act("read", [30, 31], "finished")];
  judge(history, whole);
  const [batch] = whole.batches!;
  const unlisted = batch!.recipients.map((one) => ({ ...one, status: "failed" }));
  const together = batch!.recipients.map((one) => ({ ...one, contactId: "c0" }));
  for (
    const [further, known, breach] of [
      [[act("read", [32, 33], "running")], {}, /then none of read 200 running/],
      [[act("pause", [32, 33], "paused")], {}, /then none of pause 200 paused/],
      [[], { feed: whole.feed!.slice(0, 2) }, /its end was told 0 times/],
      [[], { feed: [...whole.feed!, ended] }, /its end was told 2 times/],
      [[], { batches: [{ ...batch!, recipients: unlisted }] }, /counts 2 sent, and lists 0/],
      [[], {
        batches: [{ ...batch!, recipients: together }],
        records: records.map((record) => ({ ...record, contactId: "c0" })),
      }, /left to one person/],
      [
        [act("read", [32, 33], "finished", { ...counts, sent: 1 })],
        {},
        /has 2 recipients and counts/,
      ],
    ] as const
  ) {
    assertMatch(
      assertThrows(() => judge([...history, ...further], { ...whole, ...known }), Error).message,
      breach,
    );
  }
});

type At = readonly [number, number];

function call(
  act: HistoryCall["act"],
  [startedAt, endedAt]: At,
  body: Readonly<Record<string, unknown>>,
  status = 200,
): HistoryCall {
  return {
    ...{ act, person: 0, startedAt, endedAt },
    answer: { status, isReplay: false, body },
  };
}

function judge(history: readonly HistoryCall[], known: Partial<WholeHistory> = {}): void {
  checkHistory({ history, providerCalls: [], records: [], feed: [], batches: [], ...known });
}

function isImpossible(history: readonly HistoryCall[]): void {
  assertMatch(assertThrows(() => judge(history), Error).message, /then none of/);
}
