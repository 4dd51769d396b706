/** Counts the pages that a call reads or finds in the cache: what dead rows and index entries cost it. */

import type { Sql } from "postgres";
import { rollBack } from "./rolled_back.ts";

/** The pages of an EXPLAIN with BUFFERS in JSON, nested statements included. */
export function countPages(rows: readonly Record<string, unknown>[]): number {
  const plans = rows[0]?.["QUERY PLAN"] as readonly { Plan: Record<string, number> }[] | undefined;
  const plan = plans?.[0]?.Plan ?? {};
  return (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
}

/** Calls a function of one request, and counts the pages. */
export async function callAndCountPages(
  sql: Sql,
  name: string,
  request: Readonly<Record<string, unknown>>,
): Promise<number> {
  const rows = await sql.unsafe(
    `explain (analyze, buffers, timing off, format json) select public.${name}($1::text::jsonb)`,
    [JSON.stringify(request)],
  );
  return countPages(rows);
}

/**
 * Calls a function in a transaction that is rolled back, three times: the first ones read the catalogue, too.
 *
 * @param prepare what stands before the call in its transaction, not counted. @returns the request.
 * @param conclude what stands behind it.
 */
export async function countPagesOfCall(
  sql: Sql,
  name: string,
  prepare: (transaction: Sql) => Promise<Readonly<Record<string, unknown>>>,
  conclude: (transaction: Sql) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const call = (): Promise<number> =>
    rollBack(sql, async (transaction) => {
      const pages = await callAndCountPages(transaction, name, await prepare(transaction));
      await conclude(transaction);
      return pages;
    });
  let pages = 0;
  for (let time = 0; time < 3; time++) pages = await call();
  return pages;
}
