/**
 * A database of its own for a test: cloned in milliseconds from a template that has all migrations,
 * dropped afterwards. The test runner (tests/run.ts) makes the template and names it in the
 * environment.
 */

import postgres from "postgres";
import type { Sql } from "postgres";

/** How to open one more client. */
export interface ConnectOptions {
  /** Whom to act as. Default `service_role`. */
  readonly role?: "anon" | "authenticated" | "service_role" | "superuser";
  /** Connections of the pool. Default 10. */
  readonly max?: number;
}

/** A database that belongs to one test. */
export interface TestDatabase extends AsyncDisposable {
  /** For the superuser. */
  readonly url: string;
  /** A pool that acts as `service_role`, as product code does. */
  readonly sql: Sql;
  /** A pool of the superuser, for what no API role may do. */
  readonly admin: Sql;
  /** One more pool; closed by `drop`. */
  connect(options?: ConnectOptions): Sql;
  /** Closes every pool and drops the database, whoever else is connected to it. */
  drop(): Promise<void>;
}

/**
 * Clones the template. Use `await using database = await createTestDatabase()`, or call `drop` in a
 * `finally`: a test that leaves its connections open is failed by the sanitizers.
 *
 * @throws {Error} when the tests were not started by `deno task test`.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  return await createDatabase({ template: readEnvironment("TEST_TEMPLATE_DATABASE") });
}

/** A database of a test with nothing in it but what initdb put there: no roles' privileges, no tables. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return await createDatabase({ template: "template0" });
}

async function createDatabase(options: { template: string }): Promise<TestDatabase> {
  // The runner drops what begins with its template's name, should a test be killed before it could.
  const prefix = readEnvironment("TEST_TEMPLATE_DATABASE");
  const name = `${prefix}_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
  await onServer((server) =>
    server`create database ${server(name)} template ${server(options.template)}`
  );

  const url = new URL(readEnvironment("TEST_DATABASE_URL"));
  url.pathname = `/${name}`;
  const clients: Sql[] = [];
  const connect = (wanted: ConnectOptions = {}): Sql => {
    const client = openClient(url.href, wanted.max ?? 10, wanted.role ?? "service_role");
    clients.push(client);
    return client;
  };
  let dropped: Promise<void> | undefined;
  const drop = (): Promise<void> => dropped ??= dropDatabase(name, clients);
  return {
    url: url.href,
    sql: connect(),
    admin: connect({ role: "superuser" }),
    connect,
    drop,
    [Symbol.asyncDispose]: drop,
  };
}

async function dropDatabase(name: string, clients: readonly Sql[]): Promise<void> {
  const closed = Promise.all(clients.map((client) => client.end({ timeout: 3 })));
  await onServer(async (server) => {
    while (!(await settlesWithin(closed, 100))) await cancelQueries(server, name);
    await server`drop database ${server(name)} with (force)`;
  });
}

// What still runs may wait for a lock that nobody releases any more. Cancelled from the server's
// side, its promise is rejected in the ordinary way; cut off from ours, it would be an error that no
// test catches. Queries that have just begun are spared: among them are the client's own.
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

async function onServer(run: (server: Sql) => Promise<unknown>): Promise<void> {
  const server = openClient(readEnvironment("TEST_DATABASE_URL"), 1, "superuser");
  try {
    await run(server);
  } finally {
    await server.end();
  }
}

function openClient(url: string, max: number, role: string): Sql {
  const connection = role === "superuser" ? {} : { role };
  return postgres(url, { max, connection, onnotice: () => {} });
}

function readEnvironment(name: string): string {
  const value = Deno.env.get(name);
  if (value === undefined) {
    throw new Error(`${name} is not set: run the tests with \`deno task test\``);
  }
  return value;
}
