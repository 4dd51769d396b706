import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { checkOut } from "../support/releases/checkout.ts";
import { findLastRelease } from "../support/releases/last_release.ts";
import { startBareHandler, startOnPort, stepsSchema } from "./immediate_send_bench.ts";
import { measureBatch, measureLatencies, measureRate } from "./load.ts";
import { canReadCpu, readDatabaseCpuSeconds, readProcessCpuSeconds } from "./process_cpu.ts";
import { messageText } from "./product_calls.ts";
import type { Report } from "./report.ts";
import { alternate } from "./rounds.ts";
import {
  createInstance,
  post,
  type StackInstance,
  type StackProcess,
  startStackProcess,
} from "./stack_process.ts";
import { percentile } from "./statistics.ts";
import { composeMessage, webhookSecret } from "./webhook_side.ts";

/** What a provider takes: between the calls of a single caller the processors rest. */
const providerDelayMs = 5;
const phones = 1_000;
const warmUpSeconds = 6;
const webhooks = 1_000;

/** The two parts of a call's processor time, in milliseconds. */
interface Cpu {
  readonly scriptMs: number;
  readonly databaseMs: number;
}

/** A release, called by one caller who waits for each answer. */
interface Side {
  send(sequence: number): Promise<unknown>;
  /** Processor time of webhooks that one caller posts. */
  measureWebhooks(count: number): Promise<Cpu>;
  measureSends(seconds: number): Promise<Cpu & { readonly p50: number }>;
}

/**
 * Measures what a caller waits and what the machine works, where one call is made at a time: beside an
 * endpoint with nothing but two commits and the provider's call, and beside the last release.
 */
export const singleCallerBench: Bench = {
  name: "single_caller",
  title: `One caller, a provider that takes ${providerDelayMs} ms`,
  async run(context: BenchContext): Promise<void> {
    const release = await findLastRelease();
    if ("missing" in release) {
      context.report.note(`not measured: ${release.missing}`);
      return;
    }
    await using double = await startOnPort("tests/bench/provider_double.ts", {
      DELAY_MS: String(providerDelayMs),
    });
    await using former = await checkOut(release.commit);
    await compareSides(context, double.origin, { root: former.root, version: release.version });
  },
};

async function compareSides(
  { server, sizes, report }: BenchContext,
  providerUrl: string,
  { root, version }: { readonly root: string; readonly version: string },
): Promise<void> {
  await using database = await server.createDatabase();
  await using formerDatabase = await server.createEmptyDatabase();
  await database.admin.unsafe(stepsSchema);
  await using stack = await startStackProcess(database);
  await using formerStack = await startStackProcess(formerDatabase, root);
  await using bare = await startBareHandler(database, {
    ...{ CALLS: "2", PROVIDER_URL: providerUrl },
  });
  const ours = await openSide(stack, database, providerUrl);
  const theirs = await openSide(formerStack, formerDatabase, providerUrl);
  const sendBare = (sequence: number): Promise<unknown> => post(bare.origin, {}, bodyOf(sequence));
  // The first webhooks of the sessions that the stacks have opened by then.
  reportCpu(report, { what: `the first ${webhooks} webhooks`, version }, {
    ours: [await ours.measureWebhooks(webhooks)],
    theirs: [await theirs.measureWebhooks(webhooks)],
  });
  for (const call of [ours.send, theirs.send, sendBare]) {
    await measureRate({ callers: 1, seconds: warmUpSeconds, call });
  }
  const measured = { ours: [] as Cpu[], theirs: [] as Cpu[] };
  const measure = (name: "ours" | "theirs", side: Side) => async (): Promise<number> => {
    const { p50, ...cpu } = await side.measureSends(sizes.seconds);
    measured[name].push(cpu);
    return p50;
  };
  const p50 = await alternate(sizes.rounds, {
    ours: measure("ours", ours),
    bare: async () =>
      percentile(
        await measureLatencies({ callers: 1, seconds: sizes.seconds, call: sendBare }),
        50,
      ),
    theirs: measure("theirs", theirs),
  });
  report.comparison({
    what: "p50 of a send : two commits and the provider's call alone",
    over: p50.ours,
    under: p50.bare,
    names: ["send-message", "bare"],
    unit: "ms",
    bar: { kind: "at most", value: 1.35 },
  });
  report.comparison({
    what: `p50 of a send : the same in ${version}`,
    over: p50.ours,
    under: p50.theirs,
    names: ["send-message", version],
    unit: "ms",
  });
  if (canReadCpu) {
    reportCpu(report, { what: "a send", version }, measured, { JavaScript: 0.6, Postgres: 0.75 });
  }
}

function reportCpu(
  report: Report,
  { what, version }: { readonly what: string; readonly version: string },
  { ours, theirs }: { readonly ours: readonly Cpu[]; readonly theirs: readonly Cpu[] },
  bars?: { readonly JavaScript: number; readonly Postgres: number },
): void {
  const parts = [
    ["JavaScript", ({ scriptMs }: Cpu) => scriptMs],
    ["Postgres", ({ databaseMs }: Cpu) => databaseMs],
  ] as const;
  for (const [name, read] of parts) {
    report.comparison({
      what: `processor time of ${what}, ${name} : the same in ${version}`,
      over: ours.map(read),
      under: theirs.map(read),
      names: ["now", version],
      unit: "ms",
      ...(bars === undefined ? {} : { bar: { kind: "at most", value: bars[name] } }),
    });
  }
}

async function openSide(
  stack: StackProcess,
  database: BenchDatabase,
  providerUrl: string,
): Promise<Side> {
  const instance = await createInstance(stack.origin, 0, providerUrl);
  const send = (sequence: number): Promise<unknown> => stack.send(instance, bodyOf(sequence));
  const read = async (): Promise<[script: number, database: number]> => [
    await readProcessCpuSeconds(stack.pid),
    await readDatabaseCpuSeconds(database.admin),
  ];
  const spend = async (work: () => Promise<number>): Promise<Cpu> => {
    const before = await read();
    const calls = await work();
    const after = await read();
    const toMs = (part: 0 | 1): number => (after[part] - before[part]) * 1_000 / calls;
    return { scriptMs: toMs(0), databaseMs: toMs(1) };
  };
  return {
    send,
    measureSends: async (seconds) => {
      let latencies: number[] = [];
      const cpu = await spend(async () => {
        latencies = await measureLatencies({ callers: 1, seconds, call: send });
        return latencies.length;
      });
      return { ...cpu, p50: percentile(latencies, 50) };
    },
    measureWebhooks: (count) =>
      spend(async () => {
        await measureBatch({
          callers: 1,
          count,
          call: (place) => postWebhook(stack, instance, place),
        });
        return count;
      }),
  };
}

function postWebhook(
  { origin }: StackProcess,
  { instanceId }: StackInstance,
  place: number,
): Promise<unknown> {
  const url = `${origin}/functions/v1/provider-webhook/zapi/${instanceId}/${webhookSecret}`;
  return post(url, {}, { instanceId: "BENCH0", ...composeMessage(place, place % 100) });
}

function bodyOf(sequence: number): Record<string, unknown> {
  return {
    phone: String(5_521_990_000_000 + sequence % phones),
    messageType: "text",
    message: messageText,
  };
}
