/** How much the database holds: what a call that stores nothing leaves as it is. */
import type { Sql } from "postgres";

/**
 * The rows of each table by its name. Left out are the counts of requests, which refused ones are in too, the
 * snapshots of metrics, and the note of the server, which each new connection of a service writes before its
 * first call.
 */
export async function countStoredRows(sql: Sql): Promise<Readonly<Record<string, number>>> {
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables
    where schemaname = 'messaging' and tablename !~ '^(rate_limits|metric|database_servers)'
    order by tablename`;
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from ${sql(`messaging.${name}`)}`;
    counts[name] = row?.count ?? 0;
  }
  return counts;
}
