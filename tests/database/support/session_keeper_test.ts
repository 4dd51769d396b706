import postgres from "postgres";
import type { Sql } from "postgres";
import { assertEquals, assertNotEquals, assertRejects } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { startSessionKeeper, turnSeparator } from "../../support/database/session_keeper.ts";
import { waitUntil } from "../../support/wait_until.ts";

interface KeptDatabase extends AsyncDisposable {
  readonly admin: Sql;
  /** A client with one connection through a keeper of its own. */
  connect(turn?: string): Sql;
  /** A client that gets a session as soon as its former client has given it back. */
  connectTo(pid: number): Promise<Sql>;
  /** Runs a statement in a client that closes then. @returns the session's process id. */
  use(statement?: string): Promise<number>;
}

async function keepDatabase(): Promise<KeptDatabase> {
  await using cleanup = new AsyncDisposableStack();
  const database: TestDatabase = cleanup.use(await createTestDatabase({ own: true }));
  const keeper = cleanup.use(startSessionKeeper(database.url));
  const clients: Sql[] = [];
  cleanup.defer(async () => {
    await Promise.all(clients.map((client) => client.end({ timeout: 1 })));
  });
  const connect = (turn = "first"): Sql => {
    const url = new URL(keeper.url);
    url.pathname = new URL(database.url).pathname + turnSeparator + turn;
    const client = postgres(url.href, { max: 1, fetch_types: false, onnotice: () => {} });
    clients.push(client);
    return client;
  };
  const keep = cleanup.move();
  return {
    admin: database.admin,
    connect,
    connectTo: (pid) =>
      waitUntil(async () => {
        const client = connect();
        const [row] = await client`select pg_backend_pid() as pid`;
        if (row?.["pid"] === pid) return client;
        await client.end();
        return null;
      }, { what: "the session of a former client" }),
    use: async (statement = "select 1") => {
      const client = connect();
      const [row] = await client`select pg_backend_pid() as pid`;
      await client.unsafe(statement).simple().catch(() => {});
      await client.end();
      await untilReset(database.admin, row?.["pid"]);
      return row?.["pid"];
    },
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

/** Waits until a session has been reset or has ended. */
async function untilReset(admin: Sql, pid: number): Promise<void> {
  await waitUntil(async () => {
    const [session] = await admin`
      select state = 'idle' and query like '%unlisten *' as reset from pg_stat_activity where pid = ${pid}`;
    return session?.["reset"] ?? true;
  }, { what: "the reset of a session" });
}

Deno.test("a session serves one client after the other, and two clients have two", async () => {
  await using kept = await keepDatabase();
  const pid = await kept.use();
  await kept.connectTo(pid);
  assertNotEquals(await kept.use(), pid);
});

for (
  const [what, statement, look, expected] of [
    ["a setting", "set work_mem = '1MB'", "select current_setting('work_mem')", "4MB"],
    ["a role", "set role anon", "select current_user", "postgres"],
    [
      "a prepared statement",
      "prepare slip as select 1",
      "select count(*)::text from pg_prepared_statements where name = 'slip'",
      "0",
    ],
    [
      "a temporary table",
      "create temp table slip ()",
      "select coalesce(to_regclass('pg_temp.slip')::text, 'gone')",
      "gone",
    ],
    ["a channel", "listen slip", "select count(*)::text from pg_listening_channels()", "0"],
    [
      "a lock",
      "select pg_advisory_lock(4711)",
      "select count(*)::text from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()",
      "0",
    ],
    [
      "an open transaction",
      "begin; create table public.slip ()",
      "select coalesce(to_regclass('public.slip')::text, 'gone')",
      "gone",
    ],
    ["a failed transaction", "begin; select 1 / 0", "select '1'", "1"],
  ] as const
) {
  Deno.test(`${what} does not stay for the next client`, async () => {
    await using kept = await keepDatabase();
    const pid = await kept.use(statement);
    const next = await kept.connectTo(pid);
    const [row] = await next.unsafe(look).values();
    assertEquals(row?.[0], expected);
  });
}

Deno.test("a session with a running statement serves no other client", async () => {
  await using kept = await keepDatabase();
  const busy = kept.connect();
  const [{ pid } = { pid: 0 }] = await busy`select pg_backend_pid() as pid`;
  const failed = assertRejects(async () => await busy`select pg_sleep(60)`);
  await waitUntil(async () => {
    const rows = await kept.admin`
      select from pg_stat_activity where pid = ${pid} and state = 'active'`;
    return rows.length === 1;
  });
  await busy.end({ timeout: 0 });
  await failed;
  assertNotEquals(await kept.use(), pid);
});

Deno.test("a statement is canceled, and a killed session is replaced", async () => {
  await using kept = await keepDatabase();
  const client = kept.connect();
  const [{ pid } = { pid: 0 }] = await client`select pg_backend_pid() as pid`;
  const sleep = client`select pg_sleep(60)`;
  const canceled = assertRejects(async () => await sleep, postgres.PostgresError, "canceling");
  await waitUntil(async () => {
    const rows = await kept.admin`
      select from pg_stat_activity where pid = ${pid} and state = 'active'`;
    return rows.length === 1;
  });
  sleep.cancel();
  await canceled;
  await client.end();
  await untilReset(kept.admin, pid);
  await kept.admin`select pg_terminate_backend(${pid}, 5000)`;
  // Until the keeper has read that the session ended, a client gets it, and is cut off.
  const other = await waitUntil(() => kept.use(), { what: "another session" });
  assertNotEquals(other, pid);
});

Deno.test("a forgotten client of a former turn is cut off, and cannot come back", async () => {
  await using kept = await keepDatabase();
  const forgotten = kept.connect("first");
  await forgotten`select 1`;
  const next = kept.connect("second");
  await next`select 1`;
  await assertRejects(async () => await forgotten`select 1`);
  await assertRejects(async () => await forgotten`select 1`);
  await next`select 1`;
});
