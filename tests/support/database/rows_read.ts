/** Counts the rows that a statement reads, with Postgres's statistics: equal on every machine. */

import type { Sql } from "postgres";
import { rollBack } from "./rolled_back.ts";

// For a table: rows of sequential scans and rows fetched by an index. For an index: returned entries,
// which include rows that a filter discards.
const countReads = `
  select coalesce(sum(
    pg_stat_get_xact_tuples_returned(c.oid)
      + case when c.relkind = 'r' then pg_stat_get_xact_tuples_fetched(c.oid) else 0 end
  ), 0)::integer as rows
  from pg_class c
  where c.relnamespace = 'messaging'::regnamespace and c.relkind in ('r', 'i')`;

/**
 * Runs `work` in a transaction, counts the rows of our tables that it reads, and rolls it back. Includes
 * rows read by cascades and by deferred constraints.
 */
export function countRowsRead(
  sql: Sql,
  work: (transaction: Sql) => Promise<unknown>,
): Promise<number> {
  return rollBack(sql, async (transaction) => {
    // A parallel worker counts its reads elsewhere.
    await transaction`set local max_parallel_workers_per_gather = 0`;
    // The audit reads events that the product does not read.
    await transaction`select set_config('event_audit.is_off', 'on', true)`;
    // The session may still hold counts of earlier transactions.
    const before = await readCounts(transaction);
    await work(transaction);
    await transaction`set constraints all immediate`;
    return await readCounts(transaction) - before;
  });
}

/** Plans for the values of a call, as in a session's first five, or for any values. */
export type PlanMode = "force_custom_plan" | "force_generic_plan";

/** Counts as `countRowsRead` does, with plans of this kind only. */
export function countRowsReadBy(
  plans: PlanMode,
  sql: Sql,
  work: (transaction: Sql) => Promise<unknown>,
): Promise<number> {
  return countRowsRead(sql, async (transaction) => {
    await transaction`select set_config('plan_cache_mode', ${plans}, true)`;
    await work(transaction);
  });
}

/**
 * Counts with both kinds of plans: from the sixth call on Postgres may use either. @returns the greater count.
 */
export async function countMostRowsRead(
  sql: Sql,
  work: (transaction: Sql) => Promise<unknown>,
): Promise<number> {
  const ofValues = await countRowsReadBy("force_custom_plan", sql, work);
  return Math.max(ofValues, await countRowsReadBy("force_generic_plan", sql, work));
}

async function readCounts(sql: Sql): Promise<number> {
  const [row] = await sql.unsafe<{ rows: number }[]>(countReads);
  return row?.rows ?? 0;
}
