/** Counts the pages that a call reads or finds in the cache: what dead rows and index entries cost it. */

import type { Sql } from "postgres";

class Measured extends Error {
  constructor(readonly pages: number) {
    super("measured");
  }
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
  let pages = 0;
  for (let time = 0; time < 3; time++) pages = await callOnce(sql, name, prepare, conclude);
  return pages;
}

async function callOnce(
  sql: Sql,
  name: string,
  prepare: (transaction: Sql) => Promise<Readonly<Record<string, unknown>>>,
  conclude: (transaction: Sql) => Promise<void>,
): Promise<number> {
  try {
    await sql.begin(async (transaction) => {
      const request = await prepare(transaction as unknown as Sql);
      const [row] = await transaction.unsafe(
        `explain (analyze, buffers, timing off, format json) select public.${name}($1::text::jsonb)`,
        [JSON.stringify(request)],
      );
      await conclude(transaction as unknown as Sql);
      const { Plan } = row?.["QUERY PLAN"][0];
      throw new Measured(Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"]);
    });
  } catch (error) {
    if (error instanceof Measured) return error.pages;
    throw error;
  }
  throw new Error("unreachable");
}
