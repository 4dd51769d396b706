/**
 * Gives each test its own database: an emptied one of a former test, or a new clone of a template with
 * all migrations. The test runner (tests/run.ts) creates the template and names it in the environment.
 */

import postgres from "postgres";
import type { Sql } from "postgres";
import {
  forgetDatabase,
  nameDatabase,
  nameOwnDatabase,
  releaseDatabase,
  takeFreeDatabase,
} from "./pool.ts";
import { resetDatabase, type ResetPlan } from "./reset.ts";
import { turnSeparator } from "./session_keeper.ts";

/** How to open one more client. */
export interface ConnectOptions {
  /** Role of the client. Default `service_role`. */
  readonly role?: "anon" | "authenticated" | "service_role" | "superuser";
  /** Connections of the pool. Default 10. */
  readonly max?: number;
}

/** A database that belongs to one test. */
export interface TestDatabase extends AsyncDisposable {
  /** Connection string of the superuser. */
  readonly url: string;
  /** A pool that acts as `service_role`, as product code does. */
  readonly sql: Sql;
  /** A pool of the superuser, for statements that no API role may run. */
  readonly admin: Sql;
  /** One more pool; closed by `drop`. */
  connect(options?: ConnectOptions): Sql;
  /** Closes every pool and ends every other connection to the database. */
  drop(): Promise<void>;
}

/** Which database a test needs. */
export interface DatabaseOptions {
  /**
   * Use a new clone with new sessions, dropped afterwards: for tests that measure pages, plans or
   * statistics, or count sessions. Tests that change the schema do not need it, because a changed
   * database is detected and not used again.
   */
  readonly own?: boolean;
}

/**
 * Creates and owns databases. One connection for all tests of a file, which opens before the first:
 * the sanitizers would count a connection that a test opens as that test's leak.
 */
const server = await connectToServer();

async function connectToServer(): Promise<Sql | null> {
  const url = Deno.env.get("TEST_DATABASE_URL");
  if (url === undefined) return null;
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
  await sql`select 1`;
  return sql;
}

/**
 * An empty database with all migrations. Use `await using database = await createTestDatabase()`, or
 * call `drop` in a `finally`. The sanitizers fail a test that leaves connections open.
 *
 * @throws {Error} when the tests were not started by `deno task test`.
 */
export async function createTestDatabase(options: DatabaseOptions = {}): Promise<TestDatabase> {
  return await openDatabase({ origin: readEnvironment("TEST_TEMPLATE_DATABASE"), ...options });
}

/** A database for a test without our roles' privileges and without tables. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return await openDatabase({ origin: "template0", own: true });
}

async function openDatabase(
  { origin, own = false }: { origin: string; own?: boolean },
): Promise<TestDatabase> {
  if (server === null) throw notStarted("TEST_DATABASE_URL");
  while (!own) {
    const reused = await takeFreeDatabase(server, origin);
    if (reused === undefined) break;
    const database = describeDatabase(server, reused, own);
    if (await resetDatabase(database.admin, readResetPlan())) return database;
    await database.admin.end();
    await server`drop database ${server(reused)} with (force)`;
    await forgetDatabase(server, reused);
  }
  const template = readEnvironment("TEST_TEMPLATE_DATABASE");
  const name = own ? nameOwnDatabase(template) : await nameDatabase(server, template);
  await server`create database ${server(name)} template ${server(origin)} strategy file_copy`;
  return describeDatabase(server, name, own);
}

function describeDatabase(server: Sql, name: string, own: boolean): TestDatabase {
  const url = new URL(readEnvironment(own ? "TEST_DATABASE_URL" : "TEST_KEPT_SESSIONS_URL"));
  url.pathname = own ? `/${name}` : `/${name}${turnSeparator}${crypto.randomUUID()}`;
  const clients: Sql[] = [];
  const connect = (wanted: ConnectOptions = {}): Sql => {
    const client = openClient(url.href, wanted.max ?? 10, wanted.role ?? "service_role");
    clients.push(client);
    return client;
  };
  let closed: Promise<void> | undefined;
  const drop = (): Promise<void> => closed ??= closeDatabase(server, name, { clients, own });
  return {
    url: url.href,
    sql: connect(),
    admin: connect({ role: "superuser" }),
    connect,
    drop,
    [Symbol.asyncDispose]: drop,
  };
}

async function closeDatabase(
  server: Sql,
  name: string,
  { clients, own }: { clients: readonly Sql[]; own: boolean },
): Promise<void> {
  const closed = Promise.all(clients.map((client) => client.end({ timeout: 3 })));
  while (!(await settlesWithin(closed, 100))) await cancelQueries(server, name);
  if (own) await server`drop database ${server(name)} with (force)`;
  else await releaseDatabase(server, name);
}

// Running queries may wait forever for a lock. Canceling them on the server rejects their promises
// normally; closing the connection would raise an error that no test catches. Queries that have just
// started are skipped, because they include the client's own.
async function cancelQueries(server: Sql, name: string): Promise<void> {
  await server`
    select pg_cancel_backend(pid) from pg_stat_activity
    where datname = ${name} and state = 'active'
      and query_start < clock_timestamp() - interval '100 milliseconds'`;
}

async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), limitMs);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function openClient(url: string, max: number, role: string): Sql {
  const connection = role === "superuser" ? {} : { role };
  return postgres(url, { max, connection, onnotice: () => {} });
}

function readResetPlan(): ResetPlan {
  return JSON.parse(readEnvironment("TEST_RESET_PLAN"));
}

function readEnvironment(name: string): string {
  const value = Deno.env.get(name);
  if (value === undefined) throw notStarted(name);
  return value;
}

function notStarted(name: string): Error {
  return new Error(`${name} is not set: run the tests with \`deno task test\``);
}
