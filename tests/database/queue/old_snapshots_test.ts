/** Beside an old snapshot, an instance's calls do not read all that it has sent since then. */

import type { Sql } from "postgres";
import { assertEquals, assertLess } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { countPagesOfCall } from "../../support/database/pages_read.ts";
import {
  callFunction,
  type Claimed,
  claimMessages,
  enqueueText,
  settleClaim,
} from "../../support/database/queue_calls.ts";
import { openSessions } from "../../support/database/sessions.ts";
import { changeUnfollowed } from "../../support/database/unfollowed_change.ts";
import { createPacedTenant } from "../../support/fixtures/paced_tenant.ts";
import { delayNextSlot } from "../../support/fixtures/queue_slots.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const sent = 150;
const hourAgo = "now() - interval '1 hour'";

/** A call that claims what an instance may send. */
interface ClaimCall {
  readonly name: "claim_due_messages" | "claim_message_group";
  readonly request: Readonly<Record<string, unknown>>;
}

/** Queues, claims and settles messages of one instance one by one, each with a slot of an hour ago. */
async function passMessages(
  admin: Sql,
  instanceId: string,
  count: number,
  { name, request }: ClaimCall,
): Promise<void> {
  await admin.unsafe(`
    do $do$
    declare
      claimed jsonb;
    begin
      for n in 1..${count} loop
        perform public.accept_message(jsonb_build_object(
          'instanceId', '${instanceId}', 'phone', (5511900000000 + n)::text, 'idempotency', null,
          'assignment', null, 'message', jsonb_build_object('messageType', 'text', 'message', 'x'),
          'delivery', jsonb_build_object(
            'queued', true, 'intervalSeconds', 0, 'delaySeconds', 0, 'leaseSeconds', 30
          )
        ));
        update messaging.message_queue set scheduled_at = ${hourAgo};
        update messaging.dispatch set next_due_at = ${hourAgo} where instance_id = '${instanceId}';
        claimed := public.${name}('${JSON.stringify(request)}')->'messages'->0;
        perform public.settle_messages(jsonb_build_object('results', jsonb_build_array(
          jsonb_build_object(
            'messageId', claimed->'messageId', 'claimToken', claimed->'claimToken',
            'outcome', 'accepted', 'providerMessageId', 'p' || n
          )
        )));
        commit;
      end loop;
    end $do$;`);
}

/** Two indexes that hold entries of all that the instance has sent. */
const indexes = ["message_queue_head", "dispatch_pkey"] as const;

interface Cost {
  /** Pages that the call read or found in the cache. */
  readonly pages: number;
  /** Entries that it read of each index. */
  readonly entries: readonly number[];
}

/** Calls a function of one request in a transaction that is rolled back. */
async function measureCall(
  sql: Sql,
  name: string,
  prepare: (transaction: Sql) => Promise<Readonly<Record<string, unknown>>>,
): Promise<Cost> {
  const entries: (readonly number[])[] = [];
  const readEntries = async (transaction: Sql): Promise<readonly number[]> => {
    const rows = await transaction<{ entries: number }[]>`
      select pg_stat_get_xact_tuples_returned(('messaging.' || name)::regclass)::integer as entries
      from unnest(${[...indexes]}::text[]) with ordinality as i(name, place)
      order by place`;
    return rows.map((row) => row.entries);
  };
  let before: readonly number[] = [];
  const pages = await countPagesOfCall(
    sql,
    name,
    async (transaction) => {
      const request = await prepare(transaction);
      before = await readEntries(transaction);
      return request;
    },
    async (transaction) => {
      const after = await readEntries(transaction);
      entries.push(after.map((count, place) => count - (before[place] ?? 0)));
    },
  );
  return { pages, entries: entries.at(-1) ?? [] };
}

/** What calls about the instance cost. */
async function measureCalls(
  sql: Sql,
  instanceId: string,
  { name, request }: ClaimCall,
): Promise<Record<string, Cost>> {
  const delivery = { queued: true, delaySeconds: 0, intervalSeconds: 0, leaseSeconds: 30 };
  const acceptRequest = {
    ...{ instanceId, phone: "5511900000007", idempotency: null, assignment: null, delivery },
    message: { messageType: "text", message: "x" },
  };
  const queue = (transaction: Sql): Promise<unknown> =>
    callFunction(transaction, "accept_message", acceptRequest);
  return {
    accept: await measureCall(sql, "accept_message", () => Promise.resolve(acceptRequest)),
    claim: await measureCall(sql, name, async (transaction) => {
      await queue(transaction);
      return request;
    }),
    settle: await measureCall(sql, "settle_messages", async (transaction) => {
      await queue(transaction);
      const { messages: [claim] } = await callFunction<{ messages: Claimed[] }>(
        ...[transaction, name, request] as const,
      );
      const { messageId, claimToken } = claim as Claimed;
      return {
        results: [{ messageId, claimToken, outcome: "accepted", providerMessageId: "next" }],
      };
    }),
  };
}

for (const messagesPerSecond of [null, 80]) {
  Deno.test(`beside an old snapshot, what an instance with a pace of ${messagesPerSecond} has sent costs its calls nothing`, async () => {
    await using database = await createTestDatabase({ own: true });
    const { admin } = database;
    const { instanceId } = messagesPerSecond === null
      ? await createTenant(admin)
      : await createPacedTenant(admin, messagesPerSecond);
    const call: ClaimCall = messagesPerSecond === null
      ? { name: "claim_due_messages", request: { maxMessages: 100, leaseSeconds: 30 } }
      : { name: "claim_message_group", request: { instanceId, maxMessages: 50, leaseSeconds: 30 } };
    const { one, two } = await openSessions(database);
    await passMessages(one, instanceId, 5, call);
    const before = await measureCalls(one, instanceId, call);
    await two.unsafe("begin isolation level repeatable read");
    await two`select count(*) from messaging.instances`;
    await passMessages(one, instanceId, sent, call);
    await callFunction(one, "expire_claims", { maxMessages: 10 });
    const after = await measureCalls(one, instanceId, call);
    for (const [name, { pages, entries }] of Object.entries(after)) {
      for (const [place, index] of indexes.entries()) {
        assertLess(entries[place] ?? 0, 30, `${name} of ${index}`);
      }
      // With a key of the instance alone each call read all versions of its dispatch row: three pages a message.
      const former = before[name]?.pages ?? 0;
      assertLess(pages, former + sent, `${name}: ${former} pages before, ${pages} after`);
    }
    await two.unsafe("rollback");
  });
}

/** Settles a message of an instance, so that its queue begins behind it. */
async function sendOne(sql: Sql, instanceId: string): Promise<void> {
  await enqueueText(sql, instanceId, { intervalSeconds: 0 });
  const [claim] = await claimMessages(sql) as [Claimed];
  await settleClaim(sql, claim);
}

Deno.test("a queue begins at its head, and an empty one nowhere", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin);
  const readStart = async (): Promise<unknown> =>
    (await admin`
      select d.queue_from = 'infinity' as is_empty, d.queue_from = q.scheduled_at as is_at_head
      from messaging.dispatch d
      left join lateral (select * from messaging.head_of_queue(d.instance_id, '-infinity')) as q on true`)[
      0
    ];
  await sendOne(sql, instanceId);
  assertEquals({ ...await readStart() as object }, { is_empty: true, is_at_head: null });
  for (let time = 0; time < 2; time++) await enqueueText(sql, instanceId, { intervalSeconds: 0 });
  assertEquals({ ...await readStart() as object }, { is_empty: false, is_at_head: true });
  const [claim] = await claimMessages(sql) as [Claimed];
  await settleClaim(sql, claim);
  assertEquals({ ...await readStart() as object }, { is_empty: false, is_at_head: true });
});

Deno.test("what is brought forward, or queued before what waits for long, is claimed first", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin);
  await sendOne(sql, instanceId);
  await delayNextSlot(admin, instanceId, 3_600);
  await enqueueText(sql, instanceId, { message: "first" });
  const second = await enqueueText(sql, instanceId, { message: "second", intervalSeconds: 0 });
  await callFunction(sql, "move_message", {
    ...{ instanceId, messageId: second.messageId, expiresAt: null },
    sendAt: new Date(Date.now() - 1_000).toISOString(),
  });
  await makeDue(admin);
  const [brought] = await claimMessages(sql) as [Claimed];
  assertEquals(brought.message, "second");
  await settleClaim(sql, brought);
  // As where what waits is held for longer than what is behind it: see release_slots.
  await admin`update messaging.pacing set last_slot_at = '-infinity'`;
  await enqueueText(sql, instanceId, { message: "third", intervalSeconds: 0 });
  await makeDue(admin);
  const [early] = await claimMessages(sql) as [Claimed];
  assertEquals(early.message, "third");
});

/** One interval has passed. */
async function makeDue(admin: Sql): Promise<void> {
  await admin`update messaging.dispatch set paced_from = '-infinity', next_due_at = now()`;
}

Deno.test("what comes back from a claim keeps its place before the others", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin);
  await sendOne(sql, instanceId);
  await enqueueText(sql, instanceId, { message: "first", intervalSeconds: 0 });
  await enqueueText(sql, instanceId, { message: "second", intervalSeconds: 1 });
  for (let time = 0; time < 2; time++) {
    await makeDue(admin);
    const [claim] = await claimMessages(sql) as [Claimed];
    assertEquals(claim.message, "first");
    await settleClaim(sql, claim, {
      ...{ outcome: "rejected", retryable: true, scope: "message", isUnsent: true },
      error: { code: "e", message: "m" },
    });
  }
});

Deno.test("what lies before the start of its queue all the same, as after a restore, is found by the next maintenance", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin);
  await enqueueText(sql, instanceId);
  await changeUnfollowed(admin, async (transaction) => {
    await transaction`
      update messaging.dispatch
      set queue_from = now() + interval '1 day', next_due_at = now() + interval '1 day'`;
  });
  assertEquals(await claimMessages(sql), []);
  const rescue = (): Promise<{ woken: number }> =>
    callFunction(sql, "rescue_stalled_instances", { maxInstances: 10 });
  assertEquals(await rescue(), { woken: 1 });
  assertEquals(await rescue(), { woken: 0 });
  await makeDue(admin);
  assertEquals((await claimMessages(sql)).length, 1);
});
