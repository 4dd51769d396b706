import { waitUntil } from "../support/wait_until.ts";
import type { Bench, BenchContext } from "./bench.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import { messageText } from "./product_calls.ts";
import { serveProviderDouble } from "./provider_double.ts";
import type { Report } from "./report.ts";
import { type StackInstance, type StackProcess, startStackProcess } from "./stack_process.ts";
import { percentile } from "./statistics.ts";

const instanceCount = 200;
/** The shortest interval that the API accepts. */
const intervalSeconds = 10;
const intervalMs = intervalSeconds * 1_000;
/** Delay between the instances' first messages, so that due times spread over the interval. */
const staggerMs = intervalMs / instanceCount;
/** Phases of one interval each: quiet and loaded in turn, three times. */
const phases = 6;
/** The load settles while a phase begins. */
const settlingMs = 1_000;
const sendsPerSecond = 100;
const loadInstances = 20;

/** A queued message. The first one of an instance is due when it is accepted. */
interface Slot {
  readonly atMs: number;
  readonly isFirst: boolean;
}

/**
 * Measures the time from a message's slot to its provider call in the running stack, alternately while
 * nothing else happens and while immediate sends go through the same stack.
 */
export const latenessBench: Bench = {
  name: "lateness",
  title: `From the slot to the provider call: ${instanceCount} instances with a message every ` +
    `${intervalSeconds} s, quiet and beside ${sendsPerSecond} immediate sends a second`,
  async run({ server, report }: BenchContext): Promise<void> {
    await using database = await server.createDatabase();
    const arrivals = new Map<string, number>();
    await using double = serveProviderDouble(0, ({ message, arrivedAtMs }) => {
      arrivals.set(message, arrivedAtMs);
    });
    // The load's provider is a process of its own: it must not delay the clock that is read above.
    await using loadDouble = await startOnPort("tests/bench/provider_double.ts", {});
    await using stack = await startStackProcess(database);
    const paced = await stack.createInstances(
      instanceCount,
      `http://127.0.0.1:${double.addr.port}`,
    );
    const loaded = await stack.createInstances(loadInstances, loadDouble.origin, instanceCount);
    const [slots] = await Promise.all([
      queueMessages(stack, paced),
      // Warm-up.
      sendSteadily(stack, loaded, performance.now() + intervalMs),
    ]);
    const startsAtMs = Date.now();
    const sent = await alternateLoad(stack, loaded);
    await waitUntil(() => arrivals.size >= slots.size, {
      timeoutMs: 30_000,
      intervalMs: 200,
      what: "provider calls for all messages",
    });
    const lateness = [...slots].map(([message, slot]) => ({
      ...slot,
      latenessMs: (arrivals.get(message) ?? 0) - slot.atMs,
    }));
    const ofPhase = (isLoaded: boolean): number[] =>
      lateness
        .filter(({ isFirst, atMs }) => !isFirst && isInPhase(atMs - startsAtMs, isLoaded))
        .map(({ latenessMs }) => latenessMs);
    reportLateness(report, "quiet", ofPhase(false));
    reportLateness(report, `beside ${sendsPerSecond} sends a second`, ofPhase(true));
    const secondsOfLoad = phases / 2 * intervalSeconds;
    report.figure({ what: "immediate sends", value: sent / secondsOfLoad, unit: "a second" });
    const first = lateness.filter(({ isFirst }) => isFirst).map(({ latenessMs }) => latenessMs);
    report.figure({ what: "p50, due when accepted", value: percentile(first, 50), unit: "ms" });
    report.figure({
      what: "calls before their slot",
      value: lateness.filter(({ latenessMs }) => latenessMs < -1).length,
      unit: "messages",
      bar: { kind: "at most", value: 0 },
    });
  },
};

function isInPhase(sinceStartMs: number, isLoaded: boolean): boolean {
  const phase = Math.floor(sinceStartMs / intervalMs);
  return phase >= 0 && phase < phases && sinceStartMs % intervalMs >= settlingMs &&
    (phase % 2 === 1) === isLoaded;
}

function reportLateness(report: Report, when: string, latenessMs: readonly number[]): void {
  const note = `${latenessMs.length} messages`;
  report.figure({
    what: `p50, ${when}`,
    value: percentile(latenessMs, 50),
    unit: "ms",
    bar: { kind: "under", value: 10 },
    note,
  });
  report.figure({
    what: `p99, ${when}`,
    value: percentile(latenessMs, 99),
    unit: "ms",
    bar: { kind: "under", value: 60 },
  });
  report.figure({ what: `maximum, ${when}`, value: Math.max(...latenessMs), unit: "ms" });
}

/** Queues all messages. @returns each message's slot by its text. */
async function queueMessages(
  stack: StackProcess,
  instances: readonly StackInstance[],
): Promise<Map<string, Slot>> {
  const slots = new Map<string, Slot>();
  const queueOf = async (instance: StackInstance, number: number): Promise<void> => {
    await pause(number * staggerMs);
    // One more than fits into the phases, so that the last phase is as busy as the first.
    for (let place = 0; place < phases + 2; place += 1) {
      const message = `Mensagem ${place} da instância ${number}`;
      const { scheduledFor } = await stack.send(instance, {
        phone: String(5_521_990_000_000 + place),
        messageType: "text",
        message,
        queued: true,
        intervalSeconds,
      });
      slots.set(message, { atMs: Date.parse(scheduledFor ?? ""), isFirst: place === 0 });
    }
  };
  await Promise.all(instances.map(queueOf));
  return slots;
}

/** Lets quiet and loaded phases take turns. @returns how many immediate sends there were. */
async function alternateLoad(
  stack: StackProcess,
  instances: readonly StackInstance[],
): Promise<number> {
  const startedAt = performance.now();
  let sent = 0;
  for (let phase = 0; phase < phases; phase += 1) {
    const endsAt = startedAt + (phase + 1) * intervalMs;
    if (phase % 2 === 1) sent += await sendSteadily(stack, instances, endsAt);
    else await pause(endsAt - performance.now());
  }
  return sent;
}

/**
 * Sends at a fixed rate, however long the answers take. A failing send ends the measurement.
 *
 * @param endsAt by `performance.now()`. @returns how many messages were sent.
 */
async function sendSteadily(
  stack: StackProcess,
  instances: readonly StackInstance[],
  endsAt: number,
): Promise<number> {
  const startedAt = performance.now();
  const answers: Promise<unknown>[] = [];
  while (performance.now() < endsAt) {
    const number = answers.length;
    answers.push(stack.send(instances[number % instances.length] as StackInstance, {
      phone: String(5_521_990_000_000 + number % 1_000),
      messageType: "text",
      message: messageText,
    }));
    await pause(startedAt + answers.length * 1_000 / sendsPerSecond - performance.now());
  }
  await Promise.all(answers);
  return answers.length;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(ms, 0)));
}
