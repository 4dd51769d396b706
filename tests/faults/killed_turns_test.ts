/** Dispatchers that are killed while they end turns: every message is in exactly one turn. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { callFunction } from "../support/database/queue_calls.ts";
import { printFigures } from "../support/faults/figures.ts";
import { createTenant } from "../support/fixtures/tenant.ts";
import { callDispatchQueue, startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { startFunctionProcess } from "../support/stack/function_process.ts";
import { waitUntil } from "../support/wait_until.ts";

const people = 120;
const messagesEach = 4;

Deno.test("dispatchers killed while they end turns, two at once, beside people who write: every message is in exactly one turn, in order", async () => {
  await using database = await createTestDatabase();
  const { sql, admin } = database;
  const { instanceId } = await createTenant(admin);
  await admin`update messaging.instances set turns = '{"quietSeconds": 60, "maxSeconds": 300}'`;
  const [{ config }] = await admin<[{ config: string }]>`
    select sealed_provider_config as config from messaging.instances`;
  let written = 0;
  /** Each of these people writes once. */
  const write = async (places: readonly number[]): Promise<void> => {
    for (let first = 0; first < places.length; first += 50) {
      const events = places.slice(first, first + 50).map((place) => ({
        ...{ kind: "message", origin: "inbound", messageType: "text", content: null },
        ...{ providerMessageId: `in-${++written}`, message: `${written}` },
        address: `55119${String(10_000_000 + place)}`,
      }));
      await callFunction(sql, "record_provider_events", {
        ...{ instanceId, sealedProviderConfig: config, payload: null, events },
      });
    }
  };
  const everybody = Array.from({ length: people }, (_, place) => place);
  const makeDue = () =>
    admin`update messaging.conversation_turns set due_at = clock_timestamp() - interval '1 second'`;
  const startDispatcher = () =>
    startFunctionProcess({ slug: "dispatch-queue", databaseUrl: database.url });

  let openAtKill = 0;
  for (const hasCommitted of [false, true]) {
    for (let round = 0; round < messagesEach; round++) await write(everybody);
    await makeDue();
    const before = await countTurns(admin);
    await using dispatcher = await startDispatcher();
    await (hasCommitted ? killBetweenCalls : killWithinCall)(admin, dispatcher, before);
    await waitUntil(async () => await countSessionsInTurns(admin) === 0, {
      ...{ timeoutMs: 20_000, what: "the end of the killed process's transaction" },
    });
    openAtKill = await countOpen(admin);
  }
  // What was left is ended by two processes at once, while half of the people write on.
  await using one = await startDispatcher();
  await using other = await startDispatcher();
  await using crons = new AsyncDisposableStack();
  for (const { url } of [one, other]) crons.use(startDispatchCron(url, 2));
  for (let round = 0; round < 3; round++) {
    await write(everybody.filter((place) => place % 2 === round % 2));
    await makeDue();
  }
  await waitUntil(async () => await countOpen(admin) === 0, {
    ...{ timeoutMs: 30_000, what: "the end of every turn" },
  });

  const told = await admin<{ id: string; contact: string }[]>`
    select m->>'messageId' as id, e.data->>'contactId' as contact
    from messaging.events e
    cross join lateral jsonb_array_elements(e.data->'messages') with ordinality as t(m, place)
    where e.type = 'conversation.turn' order by e.sequence, t.place`;
  const stored = await admin<{ id: string; contact: string }[]>`
    select id, contact_id as contact from messaging.messages order by created_at, id`;
  printFigures("killed turns", { messages: stored.length, openAtKill });
  assertEquals(stored.length, written);
  assertEquals(new Set(told.map(({ id }) => id)).size, told.length, "each once");
  for (const contact of new Set(stored.map(({ contact }) => contact))) {
    const idsOf = (rows: readonly { id: string; contact: string }[]): string[] =>
      rows.filter((row) => row.contact === contact).map(({ id }) => id);
    assertEquals(idsOf(told), idsOf(stored));
  }
  // Of the second kill: some turns were told, and others left for those who came after it.
  assert(openAtKill > 0 && openAtKill < people, `${openAtKill} were left`);
});

interface Killable {
  readonly url: string;
  kill(): Promise<void>;
}

/** Kills the dispatcher while its transaction has deleted turns and cannot write their events. */
async function killWithinCall(admin: Sql, dispatcher: Killable, before: number): Promise<void> {
  await using lock = await lockEvents(admin);
  const run = callDispatchQueue(dispatcher.url, 5);
  await untilLockIsAwaited(admin, "RowExclusiveLock");
  await kill(admin, dispatcher);
  await run;
  await lock[Symbol.asyncDispose]();
  assertEquals(await countTurns(admin), before);
}

/** Kills the dispatcher when its first call has committed its turns, and the next one cannot. */
async function killBetweenCalls(admin: Sql, dispatcher: Killable, before: number): Promise<void> {
  await using first = await lockEvents(admin);
  const run = callDispatchQueue(dispatcher.url, 5);
  await untilLockIsAwaited(admin, "RowExclusiveLock");
  // In the queue for the table it stands behind the first call, and before the next one.
  const locking = lockEvents(admin);
  await untilLockIsAwaited(admin, "ShareLock");
  await first[Symbol.asyncDispose]();
  await using _next = await locking;
  assert(await countTurns(admin) > before);
  await kill(admin, dispatcher);
  await run;
}

/** No event is written until it is disposed of. */
async function lockEvents(admin: Sql): Promise<AsyncDisposable> {
  const session = await admin.reserve();
  await session`begin`;
  await session`lock table messaging.events in share mode`;
  let isHeld = true;
  return {
    [Symbol.asyncDispose]: async () => {
      if (!isHeld) return;
      isHeld = false;
      await session`rollback`;
      session.release();
    },
  };
}

/** Kills the process, and ends its call, as where its machine is gone and the server notices. */
async function kill(admin: Sql, dispatcher: Killable): Promise<void> {
  await dispatcher.kill();
  await admin`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like '%end_turns%' and pid <> pg_backend_pid()`;
}

/** Until a session of the service, or one of the test's, is in the queue for the events' table. */
async function untilLockIsAwaited(
  admin: Sql,
  mode: "RowExclusiveLock" | "ShareLock",
): Promise<void> {
  await waitUntil(async () => {
    const rows = await admin`
      select from pg_locks join pg_stat_activity using (pid)
      where relation = 'messaging.events'::regclass and mode = ${mode} and not granted
        and (mode = 'ShareLock' or query like '%end_turns%')`;
    return rows.length > 0;
  }, { timeoutMs: 20_000, intervalMs: 10, what: `a session that awaits ${mode}` });
}

async function countTurns(admin: Sql): Promise<number> {
  const [row] = await admin<{ count: number }[]>`
    select count(*)::integer as count from messaging.events where type = 'conversation.turn'`;
  return row!.count;
}

async function countOpen(admin: Sql): Promise<number> {
  const [row] = await admin<{ count: number }[]>`
    select count(*)::integer as count from messaging.conversation_turns`;
  return row!.count;
}

async function countSessionsInTurns(admin: Sql): Promise<number> {
  const [row] = await admin<{ count: number }[]>`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%end_turns%'
      and pid <> pg_backend_pid()`;
  return row!.count;
}
