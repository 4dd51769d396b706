/**
 * Passes databases from one test to the next. A test owns a database by an advisory lock, which also a
 * killed test gives back. Sessions that the keeper has reset stay in it.
 */

import type { Sql } from "postgres";
import { resetStatement } from "./kept_session.ts";

/** What this process owns: Postgres would give it the same lock once more. */
const owned = new Set<string>();

/**
 * How long closed sessions may take to be reset, or to end, before they are ended. Long, because the keeper
 * may have given a session that is ended to the next client already: a busy machine resets slowly.
 */
const endingMs = 15_000;

/** A new name for a database of one test. The runner drops databases with its template's name as prefix. */
export function nameOwnDatabase(template: string): string {
  return `${template}_own_${createSuffix()}`;
}

/** A new name for a database of the pool, owned from now on. */
export async function nameDatabase(server: Sql, template: string): Promise<string> {
  const name = `${poolPrefix(template)}${createSuffix()}`;
  await acquire(server, name);
  return name;
}

/**
 * Acquires a free database, in the state in which the former test left it.
 *
 * @param server the process' client of any other database, as a superuser. It keeps the lock.
 * @returns its name; undefined when none is free.
 */
export async function takeFreeDatabase(server: Sql, template: string): Promise<string | undefined> {
  // Oldest first, so that a run uses few databases, which stay in the cache.
  const databases = await server<{ datname: string }[]>`
    select datname from pg_database where starts_with(datname, ${
    poolPrefix(template)
  }) order by oid`;
  for (const { datname } of databases) {
    if (owned.has(datname) || !await acquire(server, datname)) continue;
    // A test may have dropped it since.
    const [existing] = await server`select from pg_database where datname = ${datname}`;
    if (existing !== undefined) return datname;
    await forgetDatabase(server, datname);
  }
  return undefined;
}

/** Ends what is left of the test's sessions and releases the database to the next test. */
export async function releaseDatabase(server: Sql, name: string): Promise<void> {
  const deadline = performance.now() + endingMs;
  while (await hasSessions(server, name)) {
    if (performance.now() > deadline) await endSessions(server, name);
    else await new Promise((resolve) => setTimeout(resolve, 3));
  }
  await forgetDatabase(server, name);
}

/** Gives up the name of a dropped database. */
export async function forgetDatabase(server: Sql, name: string): Promise<void> {
  await server`select pg_advisory_unlock(hashtextextended(${name}, 0))`;
  owned.delete(name);
}

async function acquire(server: Sql, name: string): Promise<boolean> {
  const [row] = await server<{ locked: boolean }[]>`
    select pg_try_advisory_lock(hashtextextended(${name}, 0)) as locked`;
  if (row?.locked === true) owned.add(name);
  return row?.locked === true;
}

async function hasSessions(server: Sql, name: string): Promise<boolean> {
  const sessions = await server`select ${isTestSession(server, name)} limit 1`;
  return sessions.length > 0;
}

async function endSessions(server: Sql, name: string): Promise<void> {
  await server`select pg_terminate_backend(pid, 2000) ${isTestSession(server, name)}`;
}

function isTestSession(server: Sql, name: string): ReturnType<Sql> {
  return server`
    from pg_stat_activity where datname = ${name} and backend_type = 'client backend'
      and not (state = 'idle' and right(query, ${resetStatement.length}) = ${resetStatement})`;
}

function poolPrefix(template: string): string {
  return `${template}_pool_`;
}

function createSuffix(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 16);
}
