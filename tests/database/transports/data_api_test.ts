/** The local Data API beside what PostgREST 14.17 was seen to answer, one behaviour a test. */

import postgres, { type Sql } from "postgres";
import { type DataApiOptions, openDataApi } from "../../../supabase/local/data_api.ts";
import { reloadDelayMs } from "../../../supabase/local/data_api_cache.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { surviveBrokenWrites } from "../../support/faults/driver_faults.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { waitUntil } from "../../support/wait_until.ts";

surviveBrokenWrites();

const secretKey = "sb_secret_of_the_data_api_tests_0123";

interface Probe extends AsyncDisposable {
  readonly admin: Sql;
  /** @returns the status and the body's code, or the body. */
  call(name: string, args?: unknown, init?: RequestInit): Promise<[status: number, what: unknown]>;
  post(name: string, init: RequestInit): Promise<Response>;
}

/** A Data API in front of a database with these functions. */
async function openProbe(sql: string, options?: DataApiOptions): Promise<Probe> {
  await using cleanup = new AsyncDisposableStack();
  const database = cleanup.use(await createTestDatabase({ own: true }));
  await database.admin.unsafe(sql);
  const api = openDataApi(database.url, secretKey, options);
  cleanup.defer(() => api.close());
  const post: Probe["post"] = (name, init) =>
    api.fetch(
      new Request(`http://127.0.0.1/rest/v1/rpc/${name}`, {
        method: "POST",
        ...init,
        headers: { apikey: secretKey, "content-type": "application/json", ...init.headers },
      }),
    );
  const keep = cleanup.move();
  return {
    admin: database.admin,
    post,
    call: async (name, args = {}, init = {}) => {
      const response = await post(name, { body: JSON.stringify(args), ...init });
      const body = await response.json();
      return [response.status, response.ok ? body : body.code];
    },
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

const raising = `
  create sequence public.tries;
  grant all on sequence public.tries to service_role;
  create function public.fail(code text) returns jsonb language plpgsql as $$
  begin
    perform nextval('public.tries');
    raise exception using errcode = code, message = 'failed';
  end $$;
  create function public.answer() returns jsonb language sql as $$ select '{"ok": true}'::jsonb $$`;

const answered = [200, { ok: true }] as const;

for (const code of ["40001", "40P01"]) {
  Deno.test(`a raised ${code} is repeated without end, and as many calls as connections take the Data API down`, async () => {
    await using probe = await openProbe(raising, { maxConnections: 2, acquireTimeoutMs: 200 });
    assertEquals(await probe.call("answer"), [...answered]);
    const abort = new AbortController();
    const stuck = [1, 2].map(() => probe.call("fail", { code }, { signal: abort.signal }));
    const countTries = async (): Promise<number> => {
      const [row] = await probe.admin`select last_value::integer as tries from public.tries`;
      return row?.["tries"];
    };
    await waitUntil(async () => await countTries() > 20, { what: "the repetitions" });
    abort.abort();
    const before = await countTries();
    await waitUntil(async () => await countTries() > before + 20, { what: "more of them" });
    assertEquals(await probe.call("answer"), [504, "PGRST003"]);
    await probe[Symbol.asyncDispose]();
    await Promise.allSettled(stuck);
  });
}

const sleeping = `
  create function public.sleep() returns jsonb language sql as
    $$ select pg_sleep(60); select '{}'::jsonb $$;
  create function public.session() returns jsonb language sql as
    $$ select jsonb_build_object('pid', pg_backend_pid()) $$`;

async function endSessions(admin: Sql, which: string): Promise<number> {
  const ended = await admin.unsafe(`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and application_name = 'postgrest' and ${which}`);
  return ended.length;
}

Deno.test("a session that ends during a call answers 400 with an empty code, and the next call works", async () => {
  await using probe = await openProbe(sleeping);
  const cut = probe.post("sleep", { body: "{}" });
  await waitUntil(() => endSessions(probe.admin, "wait_event = 'PgSleep'"), { what: "the call" });
  const response = await cut;
  assertEquals([response.status, await response.json()], [400, {
    ...{ code: "", details: null, hint: null, message: "" },
  }]);
  assertEquals((await probe.call("session"))[0], 200);
});

Deno.test("a session that ended between two calls answers the second one so, and the third is served by another", async () => {
  await using probe = await openProbe(sleeping);
  const [, first] = await probe.call("session");
  const pid = (first as { pid: number }).pid;
  await endSessions(probe.admin, `pid = ${pid}`);
  assertEquals(await probe.call("session"), [400, ""]);
  const [status, third] = await probe.call("session");
  assertEquals(status, 200);
  assert((third as { pid: number }).pid !== pid);
});

Deno.test("after the loss of the database calls are 503 PGRST002 until the schema is read again", async () => {
  const recoveryMs = 54_321;
  using recovery = holdTimers(recoveryMs);
  await using probe = await openProbe(raising, { recoveryMs });
  assertEquals(await probe.call("answer"), [...answered]);
  await endSessions(probe.admin, "true");
  const seen = new Set<unknown>();
  const waitFor = (answer: unknown): Promise<unknown> =>
    waitUntil(async () => {
      const [status, what] = await probe.call("answer");
      const last = status === 200 ? 200 : what;
      seen.add(last);
      return last === answer;
    }, { what: `the answer ${answer}` });
  await waitFor("PGRST002");
  recovery.end();
  await waitFor(200);
  for (const what of ["", "PGRST001"]) seen.delete(what);
  assertEquals(seen, new Set<unknown>([200, "PGRST002"]));
});

Deno.test("a database that takes no session is 503 PGRST001", async () => {
  await using probe = await openProbe(sleeping, { maxConnections: 2 });
  const [, first] = await probe.call("session");
  const busy = probe.call("sleep");
  await waitUntil(() => countSleepers(probe.admin), { what: "the call" });
  const takeSessions = await keepDatabaseClosed(probe.admin);
  assertEquals(await probe.call("session"), [503, "PGRST001"]);
  await takeSessions();
  assert((await probe.call("session"))[1] !== first);
  await endSessions(probe.admin, "wait_event = 'PgSleep'");
  assertEquals(await busy, [400, ""]);
});

/** Lets a database take no session any more. @returns what lets it take them again. */
async function keepDatabaseClosed(admin: Sql): Promise<() => Promise<void>> {
  const [row] = await admin<{ name: string }[]>`select current_database() as name`;
  const address = new URL(Deno.env.get("TEST_DATABASE_URL") ?? "");
  const allow = async (isAllowed: boolean): Promise<void> => {
    const server = postgres(address.href, { max: 1, onnotice: () => {} });
    await server.unsafe(`alter database "${row?.name}" allow_connections ${isAllowed}`);
    await server.end();
  };
  await allow(false);
  return () => allow(true);
}

async function countLockWaiters(admin: Sql): Promise<number> {
  const rows = await admin`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return rows.length;
}

async function countSleepers(admin: Sql): Promise<number> {
  const rows = await admin`
    select from pg_stat_activity
    where datname = current_database() and wait_event = 'PgSleep'`;
  return rows.length;
}

Deno.test("a new function is 404 PGRST202 until PostgREST is told to read the schema", async () => {
  await using probe = await openProbe(raising);
  assertEquals(await probe.call("answer"), [...answered]);
  await probe.admin.unsafe(
    `create function public.later() returns jsonb language sql as $$ select '1'::jsonb $$`,
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assertEquals(await probe.call("later"), [404, "PGRST202"]);
  await probe.admin`notify pgrst, 'reload schema'`;
  await waitUntil(async () => (await probe.call("later"))[0] === 200, { what: "the reload" });
});

Deno.test("where the platform's event trigger tells it, a new function is called within seconds of its commit", async () => {
  // Otherwise a slow machine would have read the schema before the first call.
  using reloads = holdTimers(reloadDelayMs);
  await using probe = await openProbe(`${raising};
    create function public.pgrst_watch() returns event_trigger language plpgsql as
      $$ begin notify pgrst, 'reload schema'; end $$;
    create event trigger pgrst_watch on ddl_command_end execute function public.pgrst_watch()`);
  assertEquals(await probe.call("answer"), [...answered]);
  await probe.admin.unsafe(
    `create function public.later() returns jsonb language sql as $$ select '1'::jsonb $$`,
  );
  assertEquals(await probe.call("later"), [404, "PGRST202"]);
  await waitUntil(async () => {
    reloads.end();
    return (await probe.call("later"))[0] === 200;
  }, { what: "the reload" });
});

Deno.test("a function that is replaced, made anew in one transaction or given a defaulted argument is called at once", async () => {
  const create = (args: string, answer: string): string =>
    `function public.f(${args}) returns jsonb language sql as $$ select '"${answer}"'::jsonb $$`;
  await using probe = await openProbe(`create ${create("a text", "old")}`);
  const call = (): Promise<unknown> => probe.call("f", { a: "x" });
  assertEquals(await call(), [200, "old"]);
  await probe.admin.unsafe(`create or replace ${create("a text", "new")}`);
  assertEquals(await call(), [200, "new"]);
  await probe.admin.unsafe(`drop function public.f(text); create ${create("a text", "anew")}`);
  assertEquals(await call(), [200, "anew"]);
  await probe.admin.unsafe(
    `drop function public.f(text); create ${create("a text, b text default ''", "more")}`,
  );
  assertEquals(await call(), [200, "more"]);
});

Deno.test("a second function that takes the same arguments makes the call 300 PGRST203", async () => {
  await using probe = await openProbe(`
    create function public.f(a text) returns jsonb language sql as $$ select '1'::jsonb $$;
    create function public.f(a text, b text default '') returns jsonb language sql as
      $$ select '2'::jsonb $$`);
  assertEquals(await probe.call("f", { a: "x" }), [300, "PGRST203"]);
});

Deno.test("a STABLE function is called in a read-only transaction, also once it is VOLATILE, until the reload", async () => {
  await using probe = await openProbe(`
    create table public.written (at timestamptz not null default now());
    grant all on public.written to service_role;
    create function public.write() returns boolean language sql volatile as
      $$ insert into public.written default values returning true $$;
    create function public.f() returns jsonb language sql stable as
      $$ select to_jsonb(public.write()) $$`);
  assertEquals(await probe.call("f"), [405, "25006"]);
  await probe.admin.unsafe("alter function public.f() volatile");
  assertEquals(await probe.call("f"), [405, "25006"]);
  await probe.admin`notify pgrst, 'reload schema'`;
  await waitUntil(async () => (await probe.call("f"))[0] === 200, { what: "the reload" });
});

Deno.test("SQLSTATEs have PostgREST's statuses, and 57P01 may be tried again at once", async () => {
  await using probe = await openProbe(raising);
  const statuses: readonly (readonly [code: string, status: number])[] = [
    ["21000", 500],
    ["09000", 500],
    ["0L000", 403],
    ["0P000", 403],
    ["PT418", 418],
    ["23505", 409],
    ["25006", 405],
    ["42501", 403],
    ["53300", 503],
    ["57014", 500],
    ["MI004", 400],
    ["P0001", 400],
    ["XX000", 500],
  ];
  for (const [code, status] of statuses) {
    assertEquals(await probe.call("fail", { code }), [status, code]);
  }
  const response = await probe.post("fail", { body: '{"code":"57P01"}' });
  assertEquals([response.status, response.headers.get("Retry-After")], [503, "0"]);
  await response.body?.cancel();
});

Deno.test("a wait for a lock ends after 8 s, as 57014", async () => {
  await using probe = await openProbe(`
    create table public.locked ();
    grant all on public.locked to service_role;
    create function public.wait() returns jsonb language plpgsql as
      $$ begin lock table public.locked; return '{}'; end $$`);
  await probe.admin.begin(async (sql) => {
    await sql`lock table public.locked`;
    const startedAtMs = performance.now();
    assertEquals(await probe.call("wait"), [500, "57014"]);
    const tookMs = performance.now() - startedAtMs;
    assert(tookMs > 7_900, `${tookMs}`);
  });
});

Deno.test("numbers are as Postgres prints them, instants have a T, and a table's numbers are numbers", async () => {
  await using probe = await openProbe(`
    create function public.same(request jsonb) returns jsonb language sql as $$ select request $$;
    create function public.rows() returns table (at timestamptz, n numeric) language sql as
      $$ select timestamptz '2026-11-22 10:00:00+00', 1.50 $$`);
  const text = '{"n": 9007199254740993, "fraction": 1.10}';
  const same = await probe.post("same", { body: `{"request":${text}}` });
  assertEquals([same.status, await same.text()], [200, text]);
  const rows = await probe.post("rows", { body: "{}" });
  assertEquals(await rows.text(), '[{"at":"2026-11-22T10:00:00+00:00","n":1.50}]');
});

Deno.test("without a free connection a call is 504 PGRST003, and one whose caller left is executed all the same", async () => {
  const acquireTimeoutMs = 12_345;
  using acquiring = holdTimers(acquireTimeoutMs);
  await using probe = await openProbe(
    `create table public.written (at timestamptz not null default now());
    grant all on public.written to service_role;
    create function public.write() returns jsonb language sql volatile as
      $$ insert into public.written default values; select '{}'::jsonb $$;
    create table public.locked ();
    grant all on public.locked to service_role;
    create function public.wait() returns jsonb language plpgsql as
      $$ begin lock table public.locked; return '{}'; end $$`,
    { maxConnections: 1, acquireTimeoutMs },
  );
  assertEquals(await probe.call("write"), [200, {}]);
  const abandoned = new AbortController();
  const waiting: Promise<unknown>[] = [];
  await probe.admin.begin(async (sql) => {
    await sql`lock table public.locked`;
    waiting.push(probe.call("wait"));
    await waitUntil(() => countLockWaiters(probe.admin), {
      what: "the only connection to be taken",
    });
    const isQueued = { what: "a call to wait for the connection" };
    const unserved = probe.call("write");
    await waitUntil(() => acquiring.count() === 1, isQueued);
    acquiring.end();
    assertEquals(await unserved, [504, "PGRST003"]);
    waiting.push(probe.call("write", {}, { signal: abandoned.signal }).catch(() => {}));
    await waitUntil(() => acquiring.count() === 1, isQueued);
    abandoned.abort();
  });
  await Promise.all(waiting);
  const [row] = await probe.admin`select count(*)::integer as count from public.written`;
  assertEquals(row?.["count"], 2);
});

Deno.test("half of a surrogate pair is 400 PGRST102, a list counts by its first element, and without a type of content no function is found", async () => {
  await using probe = await openProbe(
    "create function public.same(request jsonb) returns jsonb language sql as $$ select request $$",
  );
  const read = async (init: RequestInit): Promise<unknown> => {
    const response = await probe.post("same", init);
    const body = await response.json();
    return [response.status, response.ok ? body : body.code];
  };
  assertEquals(await read({ body: '{"request":{"a":"\\ud83d"}}' }), [400, "PGRST102"]);
  assertEquals(await read({ body: '{"request":{"a":"\\ud83d\\ude00"}}' }), [200, { a: "😀" }]);
  assertEquals(await read({ body: "{" }), [400, "PGRST102"]);
  assertEquals(await read({ body: '[{"request":1},{"request":2}]' }), [200, 1]);
  const plain = { "content-type": "" };
  assertEquals(await read({ body: '{"request":1}', headers: plain }), [404, "PGRST202"]);
});

Deno.test("a wrong key opens nothing", async () => {
  await using probe = await openProbe(raising);
  const response = await probe.post("answer", { body: "{}", headers: { apikey: "sb_secret_no" } });
  await response.body?.cancel();
  assertEquals(response.status, 401);
});
