/** How many rows a statement reads, as Postgres counts them: the same on every machine. */

import type { Sql, TransactionSql } from "postgres";

/** Rolls back what was measured, with its result. */
class Measured extends Error {
  constructor(readonly rows: number) {
    super("measured");
  }
}

// Of a table: rows of whole scans, and rows fetched by an index. Of an index: its entries that were
// returned, so that what a filter throws away counts too.
const countReads = `
  select coalesce(sum(
    pg_stat_get_xact_tuples_returned(c.oid)
      + case when c.relkind = 'r' then pg_stat_get_xact_tuples_fetched(c.oid) else 0 end
  ), 0)::integer as rows
  from pg_class c
  where c.relnamespace = 'messaging'::regnamespace and c.relkind in ('r', 'i')`;

/**
 * Runs `work` in a transaction that is rolled back, and counts the rows of our tables that it has
 * read, those of cascades and of constraints that are checked at commit included.
 */
export async function countRowsRead(
  sql: Sql,
  work: (transaction: Sql) => Promise<unknown>,
): Promise<number> {
  try {
    await sql.begin(async (transaction) => {
      // Counts of earlier transactions may still stand in the session.
      const before = await readCounts(transaction);
      await work(transaction as unknown as Sql);
      await transaction`set constraints all immediate`;
      throw new Measured(await readCounts(transaction) - before);
    });
  } catch (error) {
    if (error instanceof Measured) return error.rows;
    throw error;
  }
  throw new Error("unreachable");
}

async function readCounts(sql: TransactionSql): Promise<number> {
  const [row] = await sql.unsafe<{ rows: number }[]>(countReads);
  return row?.rows ?? 0;
}
