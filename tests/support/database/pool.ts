/**
 * Databases that one test leaves to the next. A free database carries the pool's name; taking it
 * means giving it a name that nobody else knows, in one statement that only one taker can win. What
 * a former test left running cannot reach it under that name, and Postgres renames no database that
 * somebody is connected to.
 */

import postgres from "postgres";
import type { Sql } from "postgres";

/** A name for a database of this run. The runner drops what begins with the template's name. */
export function nameDatabase(template: string): string {
  return `${template}_${createSuffix()}`;
}

/**
 * Takes a free database. It is as the former test left it.
 *
 * @param server a client of any other database, as a superuser.
 * @returns its new name; undefined when none is free.
 */
export async function takeFreeDatabase(server: Sql, template: string): Promise<string | undefined> {
  // The oldest first: a run keeps few databases, and those stay in the cache.
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
 * Ends what is still connected and leaves the database to the next test.
 *
 * @returns false when somebody holds on to it: drop it.
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
    // Another test was faster (3D000; XX000 within one instant), or somebody is connected (55006).
    const code = error instanceof postgres.PostgresError ? error.code : undefined;
    if (code === "3D000" || code === "55006" || code === "XX000") return false;
    throw error;
  }
}
