/**
 * Passes databases from one test to the next. A free database has the pool's name as prefix. Acquiring
 * one renames it in a single statement, which only one test can win. Clients of a former test do not
 * know the new name, and Postgres does not rename a database with connections.
 */

import postgres from "postgres";
import type { Sql } from "postgres";

/** A new name for a database of this run. The runner drops databases with the template's name as prefix. */
export function nameDatabase(template: string): string {
  return `${template}_${createSuffix()}`;
}

/**
 * Acquires a free database, in the state in which the former test left it.
 *
 * @param server a client of any other database, as a superuser.
 * @returns its new name; undefined when none is free.
 */
export async function takeFreeDatabase(server: Sql, template: string): Promise<string | undefined> {
  // Oldest first, so that a run uses few databases, which stay in the cache.
  const free = await server<{ datname: string }[]>`
    select datname from pg_database where starts_with(datname, ${freePrefix(template)})
    order by oid`;
  for (const { datname } of free) {
    const name = nameDatabase(template);
    if (await rename(server, datname, name)) return name;
  }
  return undefined;
}

/**
 * Ends remaining connections and releases the database to the next test.
 *
 * @returns false when a connection remains; drop the database then.
 */
export async function releaseDatabase(
  server: Sql,
  template: string,
  name: string,
): Promise<boolean> {
  await server`
    select pg_terminate_backend(pid, 2000) from pg_stat_activity
    where datname = ${name} and backend_type = 'client backend'`;
  return await rename(server, name, `${freePrefix(template)}${createSuffix()}`);
}

function freePrefix(template: string): string {
  return `${template}_free_`;
}

function createSuffix(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 16);
}

async function rename(server: Sql, from: string, to: string): Promise<boolean> {
  try {
    await server`alter database ${server(from)} rename to ${server(to)}`;
    return true;
  } catch (error) {
    // Another test was faster (3D000, or XX000 at the same instant), or a client is connected (55006).
    const code = error instanceof postgres.PostgresError ? error.code : undefined;
    if (code === "3D000" || code === "55006" || code === "XX000") return false;
    throw error;
  }
}
