import { fileURLToPath } from "node:url";
import { readTaskArguments } from "../support/stack/task_arguments.ts";
import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { type Child, findFreePort, startChild } from "./child_process.ts";
import { functionEnvironment } from "./function_environment.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import { measureLatencies } from "./load.ts";
import { canReadCpu, readFamilyCpuSeconds, readServerCpuSeconds } from "./process_cpu.ts";
import { messageText } from "./product_calls.ts";
import { alternate } from "./rounds.ts";
import { createInstance, post, send, type StackInstance } from "./stack_process.ts";
import { percentile, spreadOf } from "./statistics.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const connections = 16;
const instanceCount = 20;
const phones = 1_000;
const maxStartMs = 2_000;
/** On two cores one process suffices, so both sides do the same: medians of equal sides differ by this. */
const noise = 0.05;
/** Until each of two processes runs its code as fast as it will. */
const warmUpSeconds = 6;

/** Compares one process of `deno task serve` with two on one port. */
export const serveBench: Bench = {
  name: "serve",
  title: `\`deno task serve\`: two processes beside one, ${connections} connections`,
  async run(context: BenchContext): Promise<void> {
    await using double = await startOnPort("tests/bench/provider_double.ts", {});
    await using database = await context.server.createDatabase();
    await compareProcesses(context, database, double.origin);
    await measureStarts(context, database, double.origin);
  },
};

async function compareProcesses(
  context: BenchContext,
  database: BenchDatabase,
  providerUrl: string,
): Promise<void> {
  const { sizes, report } = context;
  await using one = await startServe(database, []);
  await using two = await startServe(database, ["--processes", "2"]);
  const instances = await createInstances(one.origin, providerUrl, instanceCount);
  const sides = { one: openSide(one, instances), two: openSide(two, instances) };
  for (const { sendFor } of Object.values(sides)) await sendFor(warmUpSeconds);
  const measure = (side: Side) => (): Promise<number> => measureSide(side, context, database);
  const rates = await alternate(sizes.rounds, {
    two: measure(sides.two),
    one: measure(sides.one),
  });
  const names = ["two processes", "one process"] as const;
  report.comparison({
    ...{ what: "sends, two processes : one", over: rates.two, under: rates.one },
    ...{ names, unit: "sends/s", bar: { kind: "at least", value: 1 - noise } },
  });
  // Without the warm-up rounds.
  const compare = (series: "slowest" | "ownCpu" | "databaseCpu") => ({
    ...{ over: sides.two[series].slice(1), under: sides.one[series].slice(1), names },
  });
  report.comparison({
    ...{ what: "p99 of a send, two processes : one", ...compare("slowest") },
    ...{ unit: "ms", bar: { kind: "at most", value: 1 + noise } },
  });
  if (!canReadCpu) return;
  const unit = "ms/send";
  report.comparison({ what: "processor time of the service", ...compare("ownCpu"), unit });
  report.comparison({ what: "processor time of Postgres", ...compare("databaseCpu"), unit });
}

/** One of the services, and what was measured of it in each round. */
interface Side {
  readonly service: ServeProcess;
  sendFor(seconds: number): Promise<number[]>;
  readonly slowest: number[];
  readonly ownCpu: number[];
  readonly databaseCpu: number[];
}

function openSide(service: ServeProcess, instances: readonly StackInstance[]): Side {
  const sendFor = (seconds: number): Promise<number[]> =>
    measureLatencies({
      callers: connections,
      seconds,
      call: (sequence) =>
        send(
          service.origin,
          instances[sequence % instanceCount] as StackInstance,
          bodyOf(sequence),
        ),
    });
  return { service, sendFor, slowest: [], ownCpu: [], databaseCpu: [] };
}

/** @returns sends a second */
async function measureSide(
  side: Side,
  { sizes }: BenchContext,
  { admin }: BenchDatabase,
): Promise<number> {
  const readCpu = (): Promise<[number, number]> =>
    canReadCpu
      ? Promise.all([readFamilyCpuSeconds(side.service.pid), readServerCpuSeconds(admin)])
      : Promise.resolve([0, 0]);
  const [ownBefore, databaseBefore] = await readCpu();
  const latencies = await side.sendFor(sizes.seconds);
  const [own, database] = await readCpu();
  side.slowest.push(percentile(latencies, 99));
  side.ownCpu.push(1_000 * (own - ownBefore) / latencies.length);
  side.databaseCpu.push(1_000 * (database - databaseBefore) / latencies.length);
  return latencies.length / sizes.seconds;
}

/** From the start of the process to the answer of its first send. */
async function measureStarts(
  { sizes, report }: BenchContext,
  database: BenchDatabase,
  providerUrl: string,
): Promise<void> {
  const times: number[] = [];
  let instance: StackInstance | undefined;
  for (let start = 0; start <= sizes.starts; start++) {
    const startedAt = performance.now();
    await using service = await startServe(database, []);
    if (instance === undefined) {
      [instance] = await createInstances(service.origin, providerUrl, 1, instanceCount);
      continue;
    }
    await send(service.origin, instance, bodyOf(start));
    times.push(performance.now() - startedAt);
  }
  report.figure({
    what: "from the start of a service to its first send",
    value: spreadOf(times).median,
    unit: "ms",
    bar: { kind: "under", value: maxStartMs },
  });
}

interface ServeProcess extends Child {
  readonly origin: string;
}

async function startServe(database: BenchDatabase, args: string[]): Promise<ServeProcess> {
  const port = findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = await startChild({
    args: [...readTaskArguments(root, "serve"), ...args],
    environment: {
      ...functionEnvironment,
      DATABASE_URL: database.url,
      PORT: `${port}`,
      FUNCTIONS_URL: `${origin}/functions/v1`,
      MEDIA_FOLDER: "/nonexistent",
    },
    healthUrl: `${origin}/health/ready`,
  });
  return { ...child, origin };
}

async function createInstances(
  origin: string,
  providerUrl: string,
  count: number,
  first = 0,
): Promise<StackInstance[]> {
  const { workspaceId } = await post<{ workspaceId: string }>(
    `${origin}/functions/v1/admin-api/workspaces`,
    { apikey: functionEnvironment["SUPABASE_SECRET_KEY"] ?? "" },
    { name: "Bench" },
  );
  return await Promise.all(
    Array.from(
      { length: count },
      (_, n) => createInstance(origin, first + n, providerUrl, workspaceId),
    ),
  );
}

function bodyOf(sequence: number): Readonly<Record<string, unknown>> {
  return {
    phone: String(5_521_900_000_000 + sequence % phones),
    messageType: "text",
    message: messageText,
  };
}
