import type { Sql } from "postgres";
import type { BenchContext } from "./bench.ts";
import type { BenchDatabase, BenchServer } from "./bench_server.ts";
import { canReadCpu, readDatabaseCpuSeconds } from "./process_cpu.ts";
import { claimMessages } from "./product_calls.ts";
import { alternate } from "./rounds.ts";
import { createTenants } from "./tenants.ts";
import { fillQueue } from "./waiting_messages.ts";

const instances = 1_000;
const waiting = 10_000;
const batchSize = 100;
/** The system counts processor time in steps of 10 ms: a round takes some hundreds. */
const claimsPerRound = 60;

/** The two sides: the same waiting messages, one side beside batches. */
export interface ClaimSides extends AsyncDisposable {
  readonly beside: BenchDatabase;
  readonly without: BenchDatabase;
}

/** Fills the queues of both sides; batches are to be started in `beside` then. */
export async function prepareClaims(
  server: BenchServer,
  beside: BenchDatabase,
): Promise<ClaimSides> {
  const without = await server.createDatabase();
  for (const { admin } of [beside, without]) {
    await createTenants(admin, { instances, contactsEach: 1 });
    await fillQueue(admin, waiting, "due");
  }
  return { beside, without, [Symbol.asyncDispose]: () => without[Symbol.asyncDispose]() };
}

/** Compares claims among the same waiting messages, beside running batches and without. */
export async function compareClaims(
  { sizes, report }: BenchContext,
  { beside, without }: ClaimSides,
): Promise<void> {
  if (!canReadCpu) return report.note("claims: needs /proc");
  const sides = [];
  for (const database of [beside, without]) {
    await database.admin`vacuum analyze`;
    sides.push({ admin: database.admin, sql: database.connect(1) });
  }
  const [ours, plain] = sides as [typeof sides[number], typeof sides[number]];
  const measured = await alternate(sizes.rounds, {
    beside: () => measureClaims(ours.admin, ours.sql),
    without: () => measureClaims(plain.admin, plain.sql),
  });
  report.comparison({
    what:
      `claiming ${batchSize} of ${waiting} waiting messages, beside the running batch : without`,
    over: measured.beside,
    under: measured.without,
    names: ["beside it", "without"],
    unit: "ms of Postgres' processor a message",
    bar: { kind: "at most", value: 1.1 },
  });
}

/** Processor time of a claimed message. Every claim is rolled back. */
async function measureClaims(admin: Sql, sql: Sql): Promise<number> {
  const before = await readDatabaseCpuSeconds(admin);
  for (let claim = 0; claim < claimsPerRound; claim += 1) {
    await sql`begin`;
    const { messages } = await claimMessages(sql, batchSize);
    await sql`rollback`;
    if (messages.length !== batchSize) throw new Error(`claimed ${messages.length}`);
  }
  const seconds = await readDatabaseCpuSeconds(admin) - before;
  return seconds * 1_000 / (claimsPerRound * batchSize);
}
