import type { Bench, BenchContext } from "./bench.ts";
import { startOwnDatabase } from "./bench_server.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import type { Report } from "./report.ts";
import { type Companion, companions } from "./soak_companions.ts";
import {
  type CallPages,
  type CallProbe,
  claimSize,
  openCallProbe,
  readLateness,
  readPages,
  readTables,
  type TableFigures,
} from "./soak_figures.ts";
import type { LoadReport, NumberedInstance, SteadyLoad } from "./soak_load.ts";
import type { StackProcess } from "./stack_process.ts";
import { startStackProcess } from "./stack_process.ts";
import { percentile } from "./statistics.ts";
import { createTenants } from "./tenants.ts";

/** Calls a second, at a share of 1. */
const perSecond = { send: 100, paced: 50, webhook: 50 } as const;
type Kind = keyof typeof perSecond;
const kinds = Object.keys(perSecond) as Kind[];
/** The shortest interval that the API accepts. */
const intervalSeconds = 10;
/** Each instance waits this much longer for its next message: at the interval itself lateness would add up. */
const slack = 1.05;
/** That send at once and receive. */
const busyInstances = 20;
/** At a share of 1. Until each has been written to, accepting is dearer. */
const contacts = 2_000;
const warmUpSeconds = 30;
/** At once, while instances are created. */
const createdTogether = 20;
/** Below this share of its calls a minute was not what it is called. */
const leastShare = 0.98;

/** Lets a load go on beside what keeps dead rows, and compares the last minute with the first. */
export const soakBench: Bench = {
  name: "soak",
  title: `${perSecond.send} sends, ${perSecond.paced} paced messages and ${perSecond.webhook} ` +
    "webhooks a second, beside what keeps dead rows",
  isOnlyByName: true,
  async run(context: BenchContext): Promise<void> {
    const { sizes } = context;
    context.report.note(`${sizes.minutes} minutes a case, at ${sizes.share} of the rates`);
    for (const companion of companions) {
      if (context.includes(companion.name)) await soak(context, companion);
    }
  },
};

/** What one minute was like. */
interface Minute {
  readonly sendP99Ms: number;
  readonly calls: CallPages;
}

async function soak({ sizes, report }: BenchContext, companion: Companion): Promise<void> {
  report.note(`beside ${companion.name}:`);
  // A slot for logical decoding needs a level of the log that servers do not have by default.
  await using database = await startOwnDatabase({ wal_level: "logical", fsync: "on" });
  await using double = await startOnPort("tests/bench/provider_double.ts", {});
  const parked = await createTenants(database.admin, { instances: claimSize, contactsEach: 1 });
  await using stack = await startStackProcess(database);
  const pacedCount = Math.ceil(perSecond.paced * sizes.share * intervalSeconds * slack);
  const busy = await createInstances(stack, double.origin, 0, busyInstances);
  const paced = await createInstances(stack, double.origin, busyInstances, pacedCount);
  const persons = busyInstances * Math.ceil(contacts * sizes.share / busyInstances);
  using loads = startLoads((kind) => ({
    ...{ kind, origin: stack.origin, perSecond: perSecond[kind] * sizes.share, intervalSeconds },
    ...(kind === "paced"
      ? { instances: paced, persons: pacedCount }
      : { instances: busy, persons }),
  }));
  await pause(warmUpSeconds * 1_000);
  const probe = await openCallProbe(
    database,
    parked,
    busy.slice(0, 5).map(({ instanceId }, place) => ({
      ...{ instanceId, phone: String(5_521_900_000_000 + place) },
    })),
  );
  await loads.report();
  const end = await companion.begin(database.url, sizes.minutes);
  const minutes: Minute[] = [];
  const startedAt = performance.now();
  for (let minute = 1; minute <= sizes.minutes; minute++) {
    minutes.push(
      await passMinute({ report, database, probe, loads, share: sizes.share, minute, startedAt }),
    );
  }
  await end();
  judge(report, companion.name, minutes);
}

interface Passing {
  readonly report: Report;
  readonly database: Awaited<ReturnType<typeof startOwnDatabase>>;
  readonly probe: CallProbe;
  readonly loads: Loads;
  readonly share: number;
  readonly minute: number;
  readonly startedAt: number;
}

/** Lets a minute pass, and prints what it was like. */
async function passMinute(passing: Passing): Promise<Minute> {
  const { report, database: { admin }, probe, loads, share, minute, startedAt } = passing;
  const since = new Date();
  const pagesBefore = await readPages(admin);
  await pause(startedAt + minute * 60_000 - performance.now());
  const pages = await readPages(admin) - pagesBefore;
  const measured = await loads.report();
  const lateness = await readLateness(admin, since);
  const calls = await probe.measure();
  const answered = kinds.reduce((sum, kind) => sum + measured[kind].answered, 0);
  const send = measured.send.latenciesMs;
  report.note(
    `minute ${minute}: send p50 ${ms(send, 50)}, p99 ${ms(send, 99)}; slot to acceptance p50 ` +
      `${ms(lateness, 50)}, p99 ${ms(lateness, 99)}; pages: claim of ${claimSize} ` +
      `${whole(calls.claim)}, accept ${whole(calls.accept)}, settle ${whole(calls.settle)}, ` +
      `inbound ${whole(calls.inbound)}; of all sessions ${whole(pages / answered)} a call`,
  );
  for (const table of await readTables(admin)) report.note(`   ${describeTable(table)}`);
  for (const kind of kinds) {
    const { answered, failures, lagsMs } = measured[kind];
    const wanted = perSecond[kind] * share;
    const reached = answered / 60;
    if (failures.length > 0 || reached < leastShare * wanted) {
      report.note(
        `   RATE NOT REACHED: ${kind} ${reached.toFixed(1)} of ${wanted} a second, ` +
          `${failures.length} failed; the generator made its calls ${ms(lagsMs, 99)} late (p99)`,
      );
      for (const failure of new Set(failures.slice(0, 5))) report.note(`   ${failure}`);
    }
  }
  return { sendP99Ms: percentile(send, 99), calls };
}

function judge(report: Report, name: string, minutes: readonly Minute[]): void {
  const [first, last] = [minutes[0], minutes.at(-1)];
  if (first === undefined || last === undefined) return;
  report.figure({
    what: `beside ${name}: p99 of a send, last minute : first`,
    value: last.sendP99Ms / first.sendP99Ms,
    unit: "times",
    bar: { kind: "at most", value: 1.5 },
  });
  for (const call of Object.keys(last.calls) as (keyof CallPages)[]) {
    report.figure({
      what: `beside ${name}: pages of ${call === "claim" ? `a claim of ${claimSize}` : call}`,
      value: last.calls[call] / first.calls[call],
      unit: "times",
      ...(call === "claim" ? { bar: { kind: "at most", value: 2 } as const } : {}),
      note: `${whole(first.calls[call])} → ${whole(last.calls[call])}`,
    });
  }
}

/** `name 12 dead, 1.2 MB, 99 % HOT (index 0.1 MB, …)` */
function describeTable(
  { name, deadRows, bytes, indexes, updates, hotUpdates }: TableFigures,
): string {
  const sizes = Object.entries(indexes).map(([index, size]) =>
    `${index.replace("messaging.", "")} ${megabytes(size)}`
  );
  const hot = updates === 0 ? "" : `, ${Math.round(100 * hotUpdates / updates)} % HOT`;
  return `${name} ${whole(deadRows)} dead, ${megabytes(bytes)} MB${hot} (${sizes.join(", ")})`;
}

async function createInstances(
  stack: StackProcess,
  providerUrl: string,
  first: number,
  count: number,
): Promise<NumberedInstance[]> {
  const instances: NumberedInstance[] = [];
  while (instances.length < count) {
    const number = first + instances.length;
    const some = await stack.createInstances(
      Math.min(createdTogether, count - instances.length),
      providerUrl,
      number,
    );
    instances.push(...some.map((instance, place) => ({ ...instance, number: number + place })));
  }
  return instances;
}

/** The load's generators, each in a thread of its own. */
interface Loads extends Disposable {
  /** What they have measured since the last report. */
  report(): Promise<Readonly<Record<Kind, LoadReport>>>;
}

function startLoads(describe: (kind: Kind) => SteadyLoad): Loads {
  const workers = kinds.map((kind) => {
    const worker = new Worker(new URL("./soak_load.ts", import.meta.url), { type: "module" });
    worker.postMessage(describe(kind));
    return [kind, worker] as const;
  });
  const ask = (worker: Worker): Promise<LoadReport> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<LoadReport>) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage("report");
    });
  return {
    report: async () =>
      Object.fromEntries(
        await Promise.all(workers.map(async ([kind, worker]) => [kind, await ask(worker)])),
      ),
    [Symbol.dispose]: () => workers.forEach(([, worker]) => worker.terminate()),
  };
}

function ms(values: readonly number[], percent: number): string {
  return values.length === 0 ? "none" : `${percentile(values, percent).toFixed(1)} ms`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(milliseconds, 0)));
}
