/** Measures what one statement costs its Postgres process, in a transaction that is rolled back. */

import postgres from "postgres";
import { countPages } from "../support/database/pages_read.ts";
import { rollBack } from "../support/database/rolled_back.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { percentile } from "./statistics.ts";

/** Cost of one statement. */
export interface Work {
  /** Processor time of the Postgres process where the system tells it, else elapsed time. */
  readonly ms: number;
  /** Pages that it read or found in the cache, in all nested statements and cascades. */
  readonly pages: number;
}

export interface Meter {
  /** What `ms` is. */
  readonly unit: string;
  measure(statement: string): Promise<Work>;
}

/** Opens a session of its own, closed with the database. */
export async function openMeter(database: BenchDatabase): Promise<Meter> {
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  database.closeFirst(() => sql.end({ timeout: 3 }));
  // EXPLAIN counts the pages of everything that a function does, but not those of a cascade.
  await sql.unsafe(`
    create function pg_temp.run(statement text) returns void language plpgsql as $$
    begin
      execute statement;
      set constraints all immediate;
    end;
    $$`);
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const pid = row?.pid ?? 0;
  const canTell = readCpuMs(pid) !== null;
  const clockMs = (): number => readCpuMs(pid) ?? performance.now();
  const measure = (statement: string): Promise<Work> =>
    rollBack(sql, async (transaction) => {
      const startedAt = clockMs();
      const rows = await transaction.unsafe(
        "explain (analyze, buffers, timing off, format json) select pg_temp.run($1)",
        [statement],
      );
      return { ms: clockMs() - startedAt, pages: countPages(rows) };
    });
  return { unit: canTell ? "processor time of Postgres" : "elapsed time", measure };
}

/** Nanoseconds on a processor, the first number of schedstat. Null where there is no such file. */
function readCpuMs(pid: number): number | null {
  try {
    return Number(Deno.readTextFileSync(`/proc/${pid}/schedstat`).split(" ")[0]) / 1e6;
  } catch {
    return null;
  }
}

/** The middle of the values. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}
