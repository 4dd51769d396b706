import type { Sql } from "postgres";
import { waitUntil } from "../wait_until.ts";
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

/** Waits until no other session works. The database finishes a statement whose client was killed. */
export async function untilSessionsRest(admin: Sql): Promise<void> {
  await waitUntil(async () => {
    const working = await admin`
      select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend' and state <> 'idle'`;
    return working.count === 0;
  }, { what: "the last statement of the killed process" });
}
