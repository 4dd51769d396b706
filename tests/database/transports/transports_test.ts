import type { Sql } from "postgres";
import { callTimeoutMs, type Database } from "../../../shared/database/database.ts";
import { openDirectDatabase } from "../../../shared/database/direct_database.ts";
import { DatabaseError } from "../../../shared/database/sqlstates.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assert, assertEquals, assertInstanceOf, assertMatch } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { surviveBrokenWrites } from "../../support/faults/driver_faults.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { startSilentProxy } from "../../support/doubles/silent_proxy.ts";
import { type Transport, transports } from "../../support/database/transports.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { findFreePort } from "../../support/free_port.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { callUntyped } from "../../support/database/untyped_calls.ts";

surviveBrokenWrites();

/** The outcome of a call, comparable between transports. */
type Outcome =
  | { readonly result: unknown }
  | { readonly refusal: string; readonly status: number }
  | { readonly defect: string };

const awkwardValues: readonly (readonly [name: string, value: unknown])[] = [
  ["texts of every plane", { text: 'São Paulo 日本 🧑‍🚀 "quoted" \\ back\nnew\ttab \u0001' }],
  ["texts that look like something else", { a: "null", b: "1", c: "{}", d: "'; select 1 --" }],
  ["numbers", { integer: 9_007_199_254_740_991, fraction: 0.1, negative: -1e-9, zero: 0 }],
  ["nothing, in its kinds", { none: null, empty: "", list: [], object: {}, no: false }],
  ["nested lists", { list: [[1, [2, [null]]], [{ a: [{ b: [] }] }]] }],
  ["200 kB", { text: "ação ".repeat(40_000) }],
];

for (const transport of transports) {
  Deno.test(`${transport.name}: JSON round-trips unchanged`, async () => {
    await using probe = await openProbe(transport);
    for (const [name, value] of awkwardValues) {
      assertEquals(await probe.call("probe_echo", { value }), { result: { value } }, name);
    }
    assertEquals(await probe.call("probe_echo", {}), { result: {} });
  });

  Deno.test(`${transport.name}: a function's NULL is null`, async () => {
    await using probe = await openProbe(transport);
    const request = { outboxId: crypto.randomUUID(), idempotency: null };
    assertEquals(await probe.call("retry_outbox", request), { result: null });
  });

  Deno.test(`${transport.name}: calls act as service_role, with its privileges only`, async () => {
    await using probe = await openProbe(transport);
    assertEquals(await probe.call("probe_role", {}), { result: { role: "service_role" } });
    assertEquals(await probe.call("probe_forbidden", {}), { defect: "42501" });
  });

  Deno.test(`${transport.name}: an error is identified by its SQLSTATE, whatever its message`, async () => {
    await using probe = await openProbe(transport);
    const refusals: readonly (readonly [sqlstate: string, code: string, status: number])[] = [
      ["MI001", "operator_not_found", 404],
      ["MI005", "contact_blocked", 409],
      ["MI007", "idempotency_key_in_progress", 409],
      ["MI008", "idempotency_key_reused", 422],
      ["MI009", "agent_id_required", 400],
      ["MI014", "Instance not found", 404],
      ["MI017", "already_exists", 409],
      ["25006", "service_unavailable", 503],
      ["53300", "service_unavailable", 503],
      ["55P03", "service_unavailable", 503],
      ["57014", "service_unavailable", 503],
      ["MI055", "service_unavailable", 503],
    ];
    for (const [sqlstate, refusal, status] of refusals) {
      assertEquals(await probe.call("probe_raise", { sqlstate }), { refusal, status }, sqlstate);
    }
  });

  Deno.test(`${transport.name}: an unexpected error is a defect that names only the SQLSTATE`, async () => {
    await using probe = await openProbe(transport);
    for (const sqlstate of ["MI999", "P0001", "23505", "22P02", "XX000"]) {
      assertEquals(await probe.call("probe_raise", { sqlstate }), { defect: sqlstate });
    }
    const error = await callUntyped(probe.database, "probe_raise", { sqlstate: "23505" }).catch((
      e,
    ) => e);
    assertInstanceOf(error, DatabaseError);
    const told = `${error.message} ${error.stack} ${Deno.inspect(error)}`;
    assertEquals(told.includes("5511999990000"), false);
  });

  Deno.test(`${transport.name}: a missing function is a defect`, async () => {
    await using probe = await openProbe(transport);
    const outcome = await probe.call("probe_of_nothing", {});
    assertMatch("defect" in outcome ? outcome.defect : "none", /^(?:42883|PGRST202)$/);
  });

  Deno.test(`${transport.name}: a call is one transaction, so a failed call has no effect`, async () => {
    await using probe = await openProbe(transport);
    assertEquals(await probe.call("probe_write", { sqlstate: "MI005" }), {
      refusal: "contact_blocked",
      status: 409,
    });
    assertEquals(await probe.call("probe_write", { sqlstate: null }), { result: { ok: true } });
    assertEquals(await countWrites(probe.admin), 1);
  });

  Deno.test(`${transport.name}: 60 concurrent calls each get their own result`, async () => {
    await using probe = await openProbe(transport);
    const expected = Array.from({ length: 60 }, (_, number): Outcome => ({ result: { number } }));
    const callAll = (): Promise<Outcome[]> =>
      Promise.all(expected.map((_, number) => probe.call("probe_echo", { number })));
    // The first calls open the connections and read the schema: on a busy machine longer than a call
    // may take, which is service_unavailable.
    const rounds: Outcome[][] = [];
    await waitUntil(async () => {
      const outcomes = await callAll();
      rounds.push(outcomes);
      return outcomes.every((outcome) => "result" in outcome);
    }, { timeoutMs: 120_000, what: "60 calls on warm connections" });
    for (const outcomes of rounds) {
      const unserved = { refusal: "service_unavailable", status: 503 };
      const wanted = outcomes.map((outcome, at) => "result" in outcome ? expected[at] : unserved);
      assertEquals(outcomes, wanted);
    }
    assertEquals(await callAll(), expected);
  });

  Deno.test(`${transport.name}: a database that cannot be reached is service_unavailable, with Retry-After`, async () => {
    const port = findFreePort();
    await using unreachable = transport.openUnreachable(port);
    const error = await callUntyped(unreachable.database, "probe_role").catch((e) => e);
    assertInstanceOf(error, AppError);
    assertEquals(error.code, "service_unavailable");
    assertEquals(error.extras.headers, { "Retry-After": "1" });
  });
}

for (const transport of transports) {
  Deno.test(`${transport.name}: a call whose session is terminated is service_unavailable, and the next call works`, async () => {
    await using probe = await openProbe(transport);
    const cut = probe.call("probe_sleep", {});
    await waitUntil(() => endSleepers(probe.admin), { what: "the sleeping call" });
    assertEquals(await cut, { refusal: "service_unavailable", status: 503 });
    assertEquals(await probe.call("probe_role", {}), { result: { role: "service_role" } });
  });
}

Deno.test("direct: a deadlock and a failed serialization of Postgres's own are service_unavailable", async () => {
  const [direct] = transports;
  assert(direct?.name === "direct");
  await using probe = await openProbe(direct);
  for (const sqlstate of ["40001", "40P01"]) {
    const refused = { refusal: "service_unavailable", status: 503 };
    assertEquals(await probe.call("probe_raise", { sqlstate }), refused);
  }
});

Deno.test("direct: calls on silent connections are service_unavailable, and the next calls work", async () => {
  const timeoutMs = 10_123;
  using timeouts = holdTimers(timeoutMs);
  await using testDatabase = await createTestDatabase();
  await testDatabase.admin.unsafe(probeFunctions);
  await using proxy = startSilentProxy(testDatabase.url);
  const database = openDirectDatabase(proxy.databaseUrl, { timeoutMs });
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  // How long a silent connection may take to end.
  using partings = holdTimers(9_000);
  // As many as there are connections: one that waits for a silent one may still get a new one in time.
  const callAll = (): Promise<Outcome[]> =>
    Promise.all(Array.from({ length: 20 }, () => readOutcome(callUntyped(database, "probe_role"))));
  const served = { result: { role: "service_role" } };
  for (const outcome of await callAll()) assertEquals(outcome, served);
  proxy.silence();
  const unanswered = callAll();
  // Timers are set once each call has a connection.
  await new Promise((resolve) => setTimeout(resolve));
  timeouts.end();
  for (const outcome of await unanswered) {
    assertEquals(outcome, { refusal: "service_unavailable", status: 503 });
  }
  for (const outcome of await callAll()) assertEquals(outcome, served);
  partings.end();
});

Deno.test("direct: a call that failed for its caller is not executed, also without a free connection", async () => {
  await using testDatabase = await createTestDatabase();
  const { admin } = testDatabase;
  const { instanceId } = await createTenant(admin);
  const database = openDirectDatabase(testDatabase.url);
  // All sessions are open: a call that first waits long for one could outlive its caller's time.
  const opening = { tokenHash: "0".repeat(64), functionName: "send-message" };
  await waitUntil(async () => {
    const opened = Array.from(
      { length: 20 },
      () => readOutcome(database.rpc("authenticate_client", opening)),
    );
    return (await Promise.all(opened)).every((outcome) => "result" in outcome);
  }, { what: "20 sessions" });
  const outcomes: Promise<Outcome>[] = [];
  await admin.begin(async (sql) => {
    await sql`select from messaging.pacing for update`;
    for (let count = 0; count < 50; count++) {
      outcomes.push(readOutcome(database.rpc("accept_message", {
        ...{ instanceId, phone: "5511987654321", idempotency: null },
        ...{ assignment: null, agent: null },
        message: { messageType: "text", message: "x", content: null },
        delivery: { queued: true, intervalSeconds: 10, delaySeconds: 0, leaseSeconds: 30 },
      })));
    }
    await new Promise((resolve) => setTimeout(resolve, callTimeoutMs + 1_000));
  });
  const answered = await Promise.all(outcomes);
  // Closing ends whatever still runs.
  await database.close();
  const served = answered.filter((outcome) => "result" in outcome);
  const [stored] = await admin`select count(*)::integer as count from messaging.messages`;
  assertEquals(stored?.["count"], served.length);
  assert(served.length < 50, "none had to wait too long");
});

for (const transport of transports) {
  Deno.test(`${transport.name}: the server cancels a call before its caller times out`, async () => {
    await using probe = await openProbe(transport);
    const { timeoutMs } = await callUntyped(probe.database, "probe_timeout");
    assert(timeoutMs > 0 && timeoutMs < callTimeoutMs, `${timeoutMs}`);
  });
}

Deno.test("both transports return exactly the same results of a real function", async () => {
  await using testDatabase = await createTestDatabase();
  const answers: string[] = [];
  for (const transport of transports) {
    await using open = transport.open(testDatabase.url);
    const answer = await open.database.rpc("authenticate_client", {
      tokenHash: "0".repeat(64),
      functionName: "send-message",
    });
    answers.push(JSON.stringify(answer));
  }
  assertEquals(answers[0], answers[1]);
  assertEquals(
    answers[0],
    JSON.stringify({
      scopes: null,
      tokenId: null,
      instance: null,
      rateLimit: null,
      instanceVersion: null,
    }),
  );
});

interface Probe extends AsyncDisposable {
  readonly database: Database;
  readonly admin: Sql;
  call(name: string, request: Readonly<Record<string, unknown>>): Promise<Outcome>;
}

/** A transport to a database with functions for these tests. */
async function openProbe(transport: Transport): Promise<Probe> {
  await using cleanup = new AsyncDisposableStack();
  const testDatabase: TestDatabase = cleanup.use(await createTestDatabase({ own: true }));
  await testDatabase.admin.unsafe(probeFunctions);
  const { database } = cleanup.use(transport.open(testDatabase.url));
  const keep = cleanup.move();
  return {
    database,
    admin: testDatabase.admin,
    call: (name, request) => readOutcome(callUntyped(database, name, request)),
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

async function readOutcome(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { result: await call };
  } catch (error) {
    if (error instanceof AppError) return { refusal: error.code, status: error.status };
    assert(error instanceof DatabaseError, String(error));
    return { defect: error.code };
  }
}

async function countWrites(admin: Sql): Promise<number> {
  const [row] = await admin<{ count: number }[]>`select count(*)::int from public.probe_writes`;
  return row?.count ?? -1;
}

async function endSleepers(admin: Sql): Promise<number> {
  const rows = await admin`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event = 'PgSleep'`;
  return rows.length;
}

const probeFunctions = `
create function public.probe_echo(request jsonb) returns jsonb language sql as 'select request';
create function public.probe_role(request jsonb) returns jsonb language sql as
  $$ select jsonb_build_object('role', current_user) $$;
create function public.probe_raise(request jsonb) returns jsonb language plpgsql as $$
begin
  raise exception using errcode = request->>'sqlstate',
    message = 'operator_not_found of 5511999990000', detail = '5511999990000', hint = '5511999990000';
end $$;
create function public.probe_timeout(request jsonb) returns jsonb language sql as
  $$ select jsonb_build_object('timeoutMs',
    (select setting::integer from pg_settings where name = 'statement_timeout')) $$;
create table public.probe_writes (at timestamptz not null default now());
grant all on table public.probe_writes to service_role;
create function public.probe_write(request jsonb) returns jsonb language plpgsql as $$
begin
  insert into public.probe_writes default values;
  if request->>'sqlstate' is not null then
    raise exception using errcode = request->>'sqlstate', message = 'refused';
  end if;
  return '{"ok": true}';
end $$;
create function public.probe_sleep(request jsonb) returns jsonb language plpgsql as
  $$ begin perform pg_sleep(60); return '{}'; end $$;
create table public.probe_secrets (secret text);
revoke all on table public.probe_secrets from public, anon, authenticated, service_role;
create function public.probe_forbidden(request jsonb) returns jsonb language plpgsql as
  $$ begin return (select to_jsonb(s) from public.probe_secrets s); end $$;
grant execute on all functions in schema public to service_role;
`;
