/** Dispatchers that are killed in the middle of a batch, which is paused and resumed meanwhile. */

import { setTimeout as delay } from "node:timers/promises";
import { assert, assertEquals, assertGreater } from "../support/assert.ts";
import { acceptMessage, type DoubleRequest } from "../support/doubles/http_double.ts";
import { printFigures } from "../support/faults/figures.ts";
import { QueueClock } from "../support/faults/queue_clock.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  listRecipients,
  readBatch,
  readRecipients,
} from "../support/fixtures/batch_calls.ts";
import type { Tenant } from "../support/fixtures/tenant.ts";
import { createSeededRandom, type SeededRandom } from "../support/seeded_random.ts";
import { startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { startFunctionProcess } from "../support/stack/function_process.ts";
import { type MessagingStack, startMessagingStack } from "../support/stack/messaging_stack.ts";

const settings = readFaultSettings();
const kills = settings.kills ?? 3;
const people = settings.messages ?? (settings.kills === undefined ? 24 : 2_000);
/** The shortest that the API takes. Nobody waits for it: see `QueueClock`. */
const intervalSeconds = 10;
/**
 * How much nearer than the interval two messages may come at the provider. An instance that is up to
 * 50 ms late keeps its slots; the rest is for the way from the claim to the provider, which takes a
 * moment longer for some message on a machine that runs other tests. A lost pace is no distance at all:
 * `smallestGapMs` tells the actual one.
 */
const paceToleranceMs = intervalSeconds * 1_000 / 2;
/** Only a failing test waits that long for a message. */
const stallTimeoutMs = 180_000;

/** What the provider saw, by the clock of the queue. */
interface Arrival {
  readonly phone: string;
  readonly atMs: number;
}

Deno.test(`in a batch of ${people}, with dispatchers killed ${kills} times, pauses and resumptions, nobody is written to twice, nobody is lost, and the pace is kept`, async () => {
  const startedAt = performance.now();
  await using stack = await startMessagingStack();
  const run = new KilledBatch(stack, await stack.createTenant());
  await run.finish();

  const seed = `seed ${run.random.seed}`;
  const items = await readRecipients(stack, run.tenant, run.batchId, { limit: "1000" });
  assertEquals(items.length, people, seed);
  const times = Map.groupBy(run.arrivals, ({ phone }) => phone);
  for (const { phone, status } of items) {
    const received = times.get(phone)?.length ?? 0;
    if (status === "sent") assertEquals(received, 1, `${phone} is sent, ${seed}`);
    else assertEquals([status, received <= 1], ["unconfirmed", true], `${phone}, ${seed}`);
  }
  const unconfirmed = items.filter(({ status }) => status === "unconfirmed");
  for (const { lastError } of unconfirmed) assertEquals(lastError.code, "worker_lost", seed);
  assert(unconfirmed.length <= kills, `${unconfirmed.length} are unconfirmed, ${seed}`);
  // Otherwise the test proves nothing: a kill between two messages breaks nothing.
  assertGreater(unconfirmed.length, 0, seed);
  const { counts } = await readBatch(stack, run.tenant, run.batchId);
  assertEquals([counts.sent + counts.unconfirmed, counts.pending], [people, 0], seed);
  const known = new Set(items.map(({ phone }) => phone));
  assertEquals(run.arrivals.filter(({ phone }) => !known.has(phone)), [], seed);

  const gaps = run.arrivals.slice(1).map(({ atMs }, place) =>
    atMs - (run.arrivals[place] as Arrival).atMs
  );
  const smallestGapMs = Math.round(Math.min(...gaps));
  printFigures("killed batches", {
    ...{ seed: run.random.seed, kills: run.killed, pauses: run.pauses, people },
    ...{ sent: counts.sent, unconfirmed: unconfirmed.length, intervalMs: intervalSeconds * 1_000 },
    unconfirmedButReceived: unconfirmed.filter(({ phone }) => times.has(phone)).length,
    ...{ smallestGapMs, seconds: Math.round((performance.now() - startedAt) / 1_000) },
  });
  assertEquals([run.killed, run.pauses > 0], [kills, true], seed);
  assert(
    smallestGapMs >= intervalSeconds * 1_000 - paceToleranceMs,
    `two messages came ${smallestGapMs} ms apart, ${seed}`,
  );
});

/** One batch, sent by one dispatcher after the other. */
class KilledBatch {
  readonly arrivals: Arrival[] = [];
  readonly random: SeededRandom = createSeededRandom(settings.seed);
  batchId = "";
  killed = 0;
  pauses = 0;
  readonly #clock: QueueClock;
  /** Answers the request that the provider holds until its sender has been killed. */
  #held: PromiseWithResolvers<void> | null = null;
  #holdsNext = false;
  #movedAtMs = performance.now();

  constructor(private readonly stack: MessagingStack, readonly tenant: Tenant) {
    this.#clock = new QueueClock(stack.admin, tenant.instanceId);
    stack.provider.answer = (request) => this.#answer(request);
  }

  /** Starts the batch, and lets it run to its end. */
  async finish(): Promise<void> {
    await this.#start();
    while (!await this.#isFinished()) {
      await using dispatcher = await startFunctionProcess({
        slug: "dispatch-queue",
        databaseUrl: this.stack.testDatabase.url,
      });
      await using _cron = startDispatchCron(dispatcher.url, 1);
      if (await this.#runUntilKill()) await this.#kill(dispatcher);
    }
  }

  /** @returns whether the dispatcher is to be killed now; else the batch is finished. */
  async #runUntilKill(): Promise<boolean> {
    const killAt = this.killed < kills
      ? Math.floor((this.killed + this.random.between(0.1, 0.6)) * people / kills)
      : Infinity;
    let pauseAt = this.arrivals.length + this.random.between(1, 4);
    while (!await this.#isFinished()) {
      assert(performance.now() - this.#movedAtMs < stallTimeoutMs, "the batch does not go on");
      if (this.#held !== null) return true;
      if (this.arrivals.length > killAt) {
        // Every other kill comes while the provider has a message, the others at any moment.
        this.#holdsNext = this.killed % 2 === 0;
        if (!this.#holdsNext) {
          await delay(this.random.between(0, 300));
          return true;
        }
      }
      if (this.arrivals.length >= pauseAt) {
        await this.#pauseAndResume();
        pauseAt = this.arrivals.length + this.random.between(1, 6);
      }
      await this.#clock.skipWait(this.random.between(-300, 300));
      await delay(5);
    }
    return false;
  }

  async #start(): Promise<void> {
    this.batchId = await createBatch(this.stack, this.tenant, { recipients: [], intervalSeconds });
    const path = `/batches/${this.batchId}/recipients`;
    for (let first = 0; first < people; first += 1_000) {
      const recipients = listRecipients(Math.min(1_000, people - first), first);
      const { status } = await callBatches(this.stack, this.tenant, "POST", path, { recipients });
      assertEquals(status, 201);
    }
    await changeBatch(this.stack, this.tenant, this.batchId, "start");
  }

  /** Kills the dispatcher; sometimes while the batch is paused. */
  async #kill(dispatcher: { kill(): Promise<void> }): Promise<void> {
    const isPaused = this.random.between(0, 1) < 0.5 && await this.#pause();
    await dispatcher.kill();
    this.killed += 1;
    // Whatever the killed process has sent arrives before this.
    const answer = await fetch(`${this.stack.provider.baseUrl}/after-the-kill`);
    await answer.body?.cancel();
    this.#held?.resolve();
    this.#held = null;
    await this.#clock.loseFlight();
    if (isPaused) await changeBatch(this.stack, this.tenant, this.batchId, "resume");
  }

  async #pauseAndResume(): Promise<void> {
    if (!await this.#pause()) return;
    if (this.random.between(0, 1) < 0.3) await delay(this.random.between(0, 100));
    if (this.random.between(0, 1) < 0.3) await this.#clock.skip(this.random.between(0, 30_000));
    await changeBatch(this.stack, this.tenant, this.batchId, "resume");
  }

  /** @returns false where the batch has finished before. */
  async #pause(): Promise<boolean> {
    const path = `/batches/${this.batchId}/pause`;
    const { status } = await callBatches(this.stack, this.tenant, "POST", path);
    if (status === 200) {
      this.pauses += 1;
      return true;
    }
    assertEquals([status, await this.#isFinished()], [409, true]);
    return false;
  }

  async #answer(request: DoubleRequest): Promise<Response> {
    if (request.json["phone"] === undefined) return new Response();
    const atMs = request.receivedAtMs + this.#clock.skippedMs;
    this.#movedAtMs = request.receivedAtMs;
    this.arrivals.push({ phone: String(request.json["phone"]), atMs });
    if (this.#holdsNext) {
      this.#holdsNext = false;
      this.#held = Promise.withResolvers<void>();
      await this.#held.promise;
    } else await delay(this.random.between(0, 60));
    return acceptMessage(request);
  }

  async #isFinished(): Promise<boolean> {
    const [row] = await this.stack.admin`
      select status = 'finished' as "isFinished" from messaging.batches where id = ${this.batchId}`;
    return row?.["isFinished"];
  }
}
