import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { type Child, findFreePort, startChild } from "./child_process.ts";
import { checkOut } from "../support/releases/checkout.ts";
import { formerRelease } from "./former_release.ts";
import { measureLatencies, measureRate } from "./load.ts";
import { canReadCpu, readDatabaseCpuSeconds, readProcessCpuSeconds } from "./process_cpu.ts";
import { messageText } from "./product_calls.ts";
import { alternate } from "./rounds.ts";
import { post, type StackInstance, type StackProcess, startStackProcess } from "./stack_process.ts";
import { percentile } from "./statistics.ts";

const connections = 16;
const instanceCount = 20;
const phones = 1_000;
/** Warm-up: rounds before JIT compilation are slower than later ones. */
const warmUpSeconds = 6;

/** What `bare_handler.ts` calls. */
export const stepsSchema = `
create schema bench;
grant usage on schema bench to service_role;
create table bench.steps (
  id bigint generated always as identity primary key, phone text not null, message text
);
grant select, insert on bench.steps to service_role;
create function bench.read_step(wanted text) returns bigint language sql
as $$ select count(*) from bench.steps where id = 1 and phone = wanted $$;
create function bench.write_step(phone text, message text) returns bigint language sql
as $$ insert into bench.steps (phone, message) values (phone, message) returning id $$;
grant execute on all functions in schema bench to service_role;
`;

/** Compares a send with handlers that only make the same number of database calls. */
export const immediateSendBench: Bench = {
  name: "immediate_send",
  title: `Immediate sends through the running stack, ${connections} connections`,
  async run(context: BenchContext): Promise<void> {
    await using double = await startOnPort("tests/bench/provider_double.ts", {});
    await compareWithBareHandlers(context, double.origin);
    await compareWithFormerRelease(context, double.origin);
  },
};

async function compareWithBareHandlers(
  { server, sizes, report }: BenchContext,
  providerUrl: string,
): Promise<void> {
  await using database = await server.createDatabase();
  await database.admin.unsafe(stepsSchema);
  await using stack = await startStackProcess(database);
  await using bare = await startBareHandler(database, {});
  await using calling = await startBareHandler(database, { PROVIDER_URL: providerUrl });
  const instances = await stack.createInstances(instanceCount, providerUrl);
  const sides = {
    ours: (sequence: number) =>
      stack.send(instances[sequence % instanceCount] as StackInstance, bodyOf(sequence)),
    bare: (sequence: number) => post(bare.origin, {}, bodyOf(sequence)),
    calling: (sequence: number) => post(calling.origin, {}, bodyOf(sequence)),
  };
  for (const call of Object.values(sides)) {
    await measureRate({ callers: connections, seconds: warmUpSeconds, call });
  }
  const rate = (call: (sequence: number) => Promise<unknown>) => (): Promise<number> =>
    measureRate({ callers: connections, seconds: sizes.seconds, call });
  const measured = await alternate(sizes.rounds, {
    ours: rate(sides.ours),
    bare: rate(sides.bare),
    calling: rate(sides.calling),
  });
  report.comparison({
    what: "send-message : bare handler with one read and two commits, no provider",
    over: measured.ours,
    under: measured.bare,
    names: ["send-message, its provider called", "bare handler"],
    unit: "requests/s",
    bar: { kind: "at least", value: 0.4 },
  });
  report.comparison({
    what: "send-message : bare handler that also calls the provider",
    over: measured.ours,
    under: measured.calling,
    names: ["send-message, its provider called", "bare handler, its provider called"],
    unit: "requests/s",
    bar: { kind: "at least", value: 0.55 },
  });
  if (canReadCpu) {
    await reportCpu({ sizes, report }, database, stack, sides.ours);
  }
}

/** Processor time of one send, in the stack's process and in its database sessions. */
async function reportCpu(
  { sizes, report }: Pick<BenchContext, "sizes" | "report">,
  database: BenchDatabase,
  stack: StackProcess,
  call: (sequence: number) => Promise<unknown>,
): Promise<void> {
  const read = async (): Promise<{ script: number; database: number }> => ({
    script: await readProcessCpuSeconds(stack.pid),
    database: await readDatabaseCpuSeconds(database.admin),
  });
  const seconds = sizes.seconds * 2;
  const before = await read();
  const perSecond = await measureRate({ callers: connections, seconds, call });
  const after = await read();
  const sends = perSecond * seconds;
  const toMs = (used: number): number => used * 1_000 / sends;
  report.figure({
    what: "processor time of one send, JavaScript",
    value: toMs(after.script - before.script),
    unit: "ms",
  });
  report.figure({
    what: "processor time of one send, Postgres",
    value: toMs(after.database - before.database),
    unit: "ms",
  });
}

async function compareWithFormerRelease(
  { server, sizes, report }: BenchContext,
  providerUrl: string,
): Promise<void> {
  await using former = await checkOut(formerRelease);
  await using database = await server.createDatabase();
  await using formerDatabase = await server.createEmptyDatabase();
  await using stack = await startStackProcess(database);
  await using formerStack = await startStackProcess(formerDatabase, former.root);
  const calls = await Promise.all([stack, formerStack].map(async (side) => {
    const instances = await side.createInstances(instanceCount, providerUrl);
    return (sequence: number) =>
      side.send(instances[sequence % instanceCount] as StackInstance, bodyOf(sequence));
  }));
  const [ours, theirs] = calls as [typeof calls[number], typeof calls[number]];
  for (const call of calls) await measureRate({ callers: 1, seconds: warmUpSeconds, call });
  const median = (call: (sequence: number) => Promise<unknown>) => async (): Promise<number> =>
    percentile(await measureLatencies({ callers: 1, seconds: sizes.seconds, call }), 50);
  const measured = await alternate(sizes.rounds, { ours: median(ours), theirs: median(theirs) });
  report.comparison({
    what: `p50 of a single caller : p50 at ${formerRelease.slice(0, 7)}`,
    over: measured.ours,
    under: measured.theirs,
    names: ["send-message", "send-message before"],
    unit: "ms",
    bar: { kind: "at most", value: 0.8 },
  });
}

function bodyOf(sequence: number): Record<string, unknown> {
  return {
    phone: String(5_521_990_000_000 + sequence % phones),
    messageType: "text",
    message: messageText,
  };
}

/** Starts `bare_handler.ts` on a database that has `stepsSchema`. */
export function startBareHandler(
  database: BenchDatabase,
  environment: Readonly<Record<string, string>>,
): Promise<Child & { readonly origin: string }> {
  return startOnPort("tests/bench/bare_handler.ts", {
    DATABASE_URL: database.url,
    WRITES: "2",
    ...environment,
  });
}

/** Starts a program that listens on PORT and answers GET /. */
export async function startOnPort(
  module: string,
  environment: Readonly<Record<string, string>>,
): Promise<Child & { readonly origin: string }> {
  const port = findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = await startChild({
    args: ["run", "-A", "--lock=deno.lock", module],
    environment: { ...environment, PORT: String(port) },
    healthUrl: origin,
  });
  return { ...child, origin };
}
