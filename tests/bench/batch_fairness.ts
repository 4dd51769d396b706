import { waitUntil } from "../support/wait_until.ts";
import type { BenchContext } from "./bench.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import { messageText } from "./product_calls.ts";
import { serveProviderDouble } from "./provider_double.ts";
import { post, type StackInstance, type StackProcess, startStackProcess } from "./stack_process.ts";
import { percentile } from "./statistics.ts";

const batchCount = 10;
/** The shortest interval that the API accepts. */
const intervalSeconds = 10;
const people = 1_000;
/** A phase is one interval: every batch sends one message in it, and each queue of the others too. */
const phaseMs = intervalSeconds * 1_000;
const sendPauseMs = 25;
/** Instances with a queued single send in each phase. */
const queueCount = 100;

/** How long the sends of one phase took, in milliseconds. */
interface Phase {
  readonly immediateMs: readonly number[];
  readonly latenessMs: readonly number[];
}

/**
 * Measures single sends of other instances, immediate and queued, in the running stack, in turn while ten
 * instances' batches run and while these are paused.
 */
export async function compareWithRunningBatches(
  { server, sizes, report }: BenchContext,
): Promise<void> {
  await using database = await server.createDatabase();
  await using double = await startOnPort("tests/bench/provider_double.ts", {});
  const arrivals = new Map<string, number>();
  await using queueDouble = serveProviderDouble(0, ({ message, arrivedAtMs }) => {
    arrivals.set(message, arrivedAtMs);
  });
  const queueUrl = `http://127.0.0.1:${queueDouble.addr.port}`;
  await using stack = await startStackProcess(database);
  const senders = await stack.createInstances(batchCount, double.origin);
  const [eleventh] = await stack.createInstances(1, double.origin, batchCount);
  const queued = await stack.createInstances(queueCount, queueUrl, batchCount + 1);
  const batches = await Promise.all(senders.map((sender) => startBatch(stack, sender)));
  const pauseAll = async (): Promise<void> => {
    for (const { url, sender } of batches) await call(sender, `${url}/pause`, {});
  };
  const resumeAll = async (): Promise<void> => {
    for (const { url, sender } of batches) {
      await call(sender, `${url}/resume`, {});
      // Each begins to send at once: so their messages spread over the interval.
      await pause(phaseMs / batchCount);
    }
  };
  const measure = (): Promise<Phase> =>
    measurePhase(stack, eleventh as StackInstance, queued, arrivals);

  // Warm-up.
  await measure();
  await pauseAll();
  const running: Phase[] = [];
  const quiet: Phase[] = [];
  for (let round = 0; round < sizes.rounds; round += 1) {
    quiet.push(await measure());
    await resumeAll();
    running.push(await measure());
    await pauseAll();
  }
  const p95 = (phases: readonly Phase[], kind: keyof Phase): number[] =>
    phases.map((phase) => percentile(phase[kind], 95));
  const compare = (what: string, kind: keyof Phase, bar?: number): void =>
    report.comparison({
      what: `${what}, p95, while ${batchCount} instances' batches run : while they are paused`,
      over: p95(running, kind),
      under: p95(quiet, kind),
      names: ["they run", "they are paused"],
      unit: "ms",
      ...(bar === undefined ? {} : { bar: { kind: "at most", value: bar } }),
    });
  compare("an eleventh's immediate send", "immediateMs", 1.2);
  compare("lateness of others' queued single send", "latenessMs", 1.2);
  const count = (phases: readonly Phase[], kind: keyof Phase): number =>
    phases.reduce((sum, phase) => sum + phase[kind].length, 0);
  report.note(
    `${count(running, "immediateMs")} and ${count(quiet, "immediateMs")} immediate sends, ` +
      `${count(running, "latenessMs")} and ${count(quiet, "latenessMs")} queued ones`,
  );
}

async function startBatch(
  stack: StackProcess,
  sender: StackInstance,
): Promise<{ url: string; sender: StackInstance }> {
  const all = `${stack.origin}/functions/v1/batches-api/batches`;
  const { batchId } = await call(sender, all, {
    message: { messageType: "text", message: "Oi {{nome}}" },
    intervalSeconds,
    recipients: Array.from({ length: people }, (_, number) => ({
      phone: String(5_521_990_000_000 + number),
      variables: { nome: `Pessoa ${number}` },
    })),
  });
  const url = `${all}/${batchId}`;
  await call(sender, `${url}/start`, {});
  return { url, sender };
}

function call(
  { clientToken }: StackInstance,
  url: string,
  body: Readonly<Record<string, unknown>>,
): Promise<{ readonly batchId: string }> {
  return post(url, { "x-client-token": clientToken }, body);
}

/** Sends for one interval: one caller's immediate sends, and a queued one of each of `queued`. */
async function measurePhase(
  stack: StackProcess,
  eleventh: StackInstance,
  queued: readonly StackInstance[],
  arrivals: Map<string, number>,
): Promise<Phase> {
  const endsAt = performance.now() + phaseMs;
  const [immediateMs, latenessMs] = await Promise.all([
    sendUntil(stack, eleventh, endsAt),
    Promise.all(queued.map(async (instance, place) => {
      await pause(place * phaseMs * 0.9 / queued.length);
      return await sendQueued(stack, instance, arrivals);
    })),
  ]);
  return { immediateMs, latenessMs };
}

/** @returns how long each send took. */
async function sendUntil(
  stack: StackProcess,
  instance: StackInstance,
  endsAt: number,
): Promise<number[]> {
  const durations: number[] = [];
  while (performance.now() < endsAt) {
    const startedAt = performance.now();
    const phone = String(5_521_990_000_000 + durations.length);
    await stack.send(instance, { phone, messageType: "text", message: messageText });
    durations.push(performance.now() - startedAt);
    await pause(sendPauseMs);
  }
  return durations;
}

/** Queues a message that is due at once. @returns how long after its slot the provider was called. */
async function sendQueued(
  stack: StackProcess,
  instance: StackInstance,
  arrivals: Map<string, number>,
): Promise<number> {
  const message = crypto.randomUUID();
  const { scheduledFor } = await stack.send(instance, {
    phone: "5521990000000",
    ...{ messageType: "text", message, queued: true, intervalSeconds },
  });
  const arrivedAtMs = await waitUntil(() => arrivals.get(message), { what: "the provider's call" });
  return arrivedAtMs - Date.parse(scheduledFor ?? "");
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
