import { openDirectDatabase } from "../../../shared/database/direct_database.ts";
import { assertEquals, assertNotEquals, assertRejects } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callUntyped } from "../../support/database/untyped_calls.ts";
import { surviveBrokenWrites } from "../../support/faults/driver_faults.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { waitUntil } from "../../support/wait_until.ts";

surviveBrokenWrites();

const probeFunctions = `
create function public.probe_session(request jsonb) returns jsonb language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared((request->>'lock')::bigint);
  return jsonb_build_object('session', pg_backend_pid());
end $$;
create function public.probe_refusal(request jsonb) returns jsonb language plpgsql as
  $$ begin raise exception using errcode = 'MI014'; end $$;
grant execute on all functions in schema public to service_role;
`;

const lock = 1;
/** Nobody holds this one. */
const free = 2;

interface Sessions extends AsyncDisposable {
  readonly testDatabase: TestDatabase;
  /** The session of Postgres that executes a call. The call waits while `lock` is held elsewhere. */
  use(lock: number): Promise<number>;
  refuse(): Promise<unknown>;
  /** Executes `count` calls at the same time. @returns their sessions. */
  useMany(count: number): Promise<number[]>;
}

async function openSessions(timeoutMs?: number): Promise<Sessions> {
  await using cleanup = new AsyncDisposableStack();
  const testDatabase = cleanup.use(await createTestDatabase({ own: true }));
  await testDatabase.admin.unsafe(probeFunctions);
  const database = openDirectDatabase(testDatabase.url, { timeoutMs });
  cleanup.defer(() => database.close());
  const use = async (wanted: number): Promise<number> =>
    (await callUntyped(database, "probe_session", { lock: wanted })).session;
  const keep = cleanup.move();
  return {
    testDatabase,
    use,
    refuse: () => callUntyped(database, "probe_refusal"),
    useMany: async (count) => {
      let sessions: Promise<number>[] = [];
      await testDatabase.admin.begin(async (holder) => {
        await holder`select pg_advisory_xact_lock(${lock})`;
        sessions = Array.from({ length: count }, () => use(lock));
        await waitUntil(async () => await countWaiting(testDatabase) === count);
      });
      return await Promise.all(sessions);
    },
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

async function countWaiting({ admin }: TestDatabase): Promise<number> {
  const rows = await admin`
    select from pg_locks
    where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
  return rows.length;
}

Deno.test("direct: calls one after the other stay in one session, however many are open", async () => {
  await using sessions = await openSessions();
  assertEquals(new Set(await sessions.useMany(12)).size, 12);
  const used = new Set<number>();
  for (let count = 0; count < 30; count++) used.add(await sessions.use(free));
  assertEquals(used.size, 1);
});

Deno.test("direct: a refused call leaves its session to the next one", async () => {
  await using sessions = await openSessions();
  const before = await sessions.use(free);
  await assertRejects(() => sessions.refuse());
  assertEquals(await sessions.use(free), before);
});

Deno.test("direct: a killed session fails its own call alone, and only it is replaced", async () => {
  await using sessions = await openSessions();
  const { admin } = sessions.testDatabase;
  const open = await sessions.useMany(4);
  const [killed = 0] = [await sessions.use(free)];
  await admin.begin(async (holder) => {
    await holder`select pg_advisory_xact_lock(${lock})`;
    const cut = sessions.use(lock);
    await waitUntil(async () => await countWaiting(sessions.testDatabase) === 1);
    const failed = assertRejects(() => cut);
    await admin`select pg_terminate_backend(${killed})`;
    await failed;
  });
  const others = new Set(await sessions.useMany(4));
  assertEquals(open.filter((session) => others.has(session)).length, 3);
  assertEquals(others.has(killed), false);
});

Deno.test("direct: after a time-out no idle session is trusted, and no other call is cut off", async () => {
  const timeoutMs = 10_123;
  using timeouts = holdTimers(timeoutMs);
  await using sessions = await openSessions(timeoutMs);
  const { admin } = sessions.testDatabase;
  const idle = await sessions.useMany(3);
  let other: Promise<number> = Promise.resolve(0);
  const later = 3;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const laterHeld = admin.begin(async (holder) => {
    await holder`select pg_advisory_xact_lock(${later})`;
    await released;
  });
  await admin.begin(async (holder) => {
    await holder`select pg_advisory_xact_lock(${lock})`;
    const silent = sessions.use(lock);
    const failed = assertRejects(() => silent);
    await waitUntil(async () => await countWaiting(sessions.testDatabase) === 1);
    other = sessions.use(later);
    await waitUntil(async () => await countWaiting(sessions.testDatabase) === 2);
    timeouts.endFirst();
    await failed;
  });
  release();
  await laterHeld;
  const survivor = await other;
  assertEquals(idle.includes(survivor), true);
  assertEquals(await sessions.use(free), survivor);
  for (const session of await sessions.useMany(3)) {
    if (session !== survivor) assertNotEquals(idle.includes(session), true);
  }
});
