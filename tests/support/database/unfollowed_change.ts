import type { Sql } from "postgres";

/**
 * Changes rows as if they had been so for long: no trigger fires, so nothing follows from it, neither events
 * nor sums.
 *
 * @param admin a client of the superuser.
 */
export async function changeUnfollowed(
  admin: Sql,
  change: (sql: Sql) => Promise<unknown>,
): Promise<void> {
  await admin.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await change(transaction as unknown as Sql);
  });
}
