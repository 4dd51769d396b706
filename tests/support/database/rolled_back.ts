import type { Sql } from "postgres";

/** Does `work` in a transaction, rolls it back, and returns what `work` did. */
export async function rollBack<Result>(
  sql: Sql,
  work: (transaction: Sql) => Promise<Result>,
): Promise<Result> {
  const undo = new Error("rolled back");
  const results: Result[] = [];
  try {
    await sql.begin(async (transaction) => {
      results.push(await work(transaction as unknown as Sql));
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  return results[0] as Result;
}
