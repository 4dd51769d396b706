import type { Sql } from "postgres";
import type { TestDatabase } from "./database.ts";

/** Opens two connections for interleaved transactions. A statement that waits too long fails. */
export async function openSessions(database: TestDatabase): Promise<{ one: Sql; two: Sql }> {
  const [one, two] = [database.connect({ max: 1 }), database.connect({ max: 1 })];
  for (const session of [one, two]) await session.unsafe("set statement_timeout = '60s'");
  return { one, two };
}

/** Whether some session of the database waits for a lock. */
export async function isWaiting(admin: Sql): Promise<boolean> {
  return await countWaiting(admin) > 0;
}

/** How many sessions of the database wait for a lock. */
export async function countWaiting(admin: Sql): Promise<number> {
  const rows = await admin`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return rows.length;
}
