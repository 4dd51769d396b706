import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { checkOut } from "../support/releases/checkout.ts";
import { startOnPort } from "./immediate_send_bench.ts";
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

/** The last commit before the calls of a single caller were optimized. */
const singleCallerBaseline = "f8655319";
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

/** Measures what a caller waits and what the machine works, where one call is made at a time. */
export const singleCallerBench: Bench = {
  name: "single_caller",
  title: `One caller, a provider that takes ${providerDelayMs} ms, beside ${singleCallerBaseline}`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using double = await startOnPort("tests/bench/provider_double.ts", {
      DELAY_MS: String(providerDelayMs),
    });
    await using former = await checkOut(singleCallerBaseline);
    await using database = await server.createDatabase();
    await using formerDatabase = await server.createEmptyDatabase();
    await using stack = await startStackProcess(database);
    await using formerStack = await startStackProcess(formerDatabase, former.root);
    const ours = await openSide(stack, database, double.origin);
    const theirs = await openSide(formerStack, formerDatabase, double.origin);
    // The first webhooks of the sessions that the stacks have opened by then.
    reportCpu(report, `the first ${webhooks} webhooks`, {
      ours: [await ours.measureWebhooks(webhooks)],
      theirs: [await theirs.measureWebhooks(webhooks)],
    });
    for (const side of [ours, theirs]) {
      await measureRate({ callers: 1, seconds: warmUpSeconds, call: side.send });
    }
    const provider = percentile(
      await measureLatencies({
        ...{ callers: 1, seconds: sizes.seconds },
        call: () => post(double.origin, {}, { message: messageText }),
      }),
      50,
    );
    report.figure({ what: "p50 of the provider alone", value: provider, unit: "ms" });
    const measured = { ours: [] as Cpu[], theirs: [] as Cpu[] };
    const measure = (name: "ours" | "theirs", side: Side) => async (): Promise<number> => {
      const { p50, ...cpu } = await side.measureSends(sizes.seconds);
      measured[name].push(cpu);
      return p50 - provider;
    };
    const p50 = await alternate(sizes.rounds, {
      ours: measure("ours", ours),
      theirs: measure("theirs", theirs),
    });
    report.comparison({
      what: `p50 of a send, without the provider : the same at ${singleCallerBaseline}`,
      over: p50.ours,
      under: p50.theirs,
      names: ["send-message", "send-message before"],
      unit: "ms",
      bar: { kind: "at most", value: 0.6 },
    });
    if (canReadCpu) reportCpu(report, "a send", measured, 0.5);
  },
};

function reportCpu(
  report: Report,
  what: string,
  { ours, theirs }: { readonly ours: readonly Cpu[]; readonly theirs: readonly Cpu[] },
  bar?: number,
): void {
  const whole = ({ scriptMs, databaseMs }: Cpu): number => scriptMs + databaseMs;
  const parts = [
    ["JavaScript", ({ scriptMs }: Cpu) => scriptMs],
    ["Postgres", ({ databaseMs }: Cpu) => databaseMs],
    ["both", whole],
  ] as const;
  for (const [name, read] of parts) {
    report.comparison({
      what: `processor time of ${what}, ${name} : the same at ${singleCallerBaseline}`,
      over: ours.map(read),
      under: theirs.map(read),
      names: ["now", "before"],
      unit: "ms",
      ...(name === "both" && bar !== undefined ? { bar: { kind: "at most", value: bar } } : {}),
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
