import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { enqueueText } from "../../support/database/queue_calls.ts";
import { delayNextSlot } from "../../support/fixtures/queue_slots.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

interface Claim {
  readonly messages: readonly unknown[];
  readonly nextDueInMs: number | null;
  readonly isOutboxDue: boolean;
  readonly isTurnDue: boolean;
  readonly webhooks: string;
}

Deno.test("a poll of a queue in which nothing is due only asks when that will be", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  const empty = await poll(database);
  assertEquals(empty, {
    claim: {
      messages: [],
      nextDueInMs: null,
      isOutboxDue: false,
      isTurnDue: false,
      webhooks: "none",
    },
    claims: 0,
  });
  await delayNextSlot(database.admin, instanceId, 600);
  await enqueueText(database.admin, instanceId);
  const waiting = await poll(database);
  assertEquals([waiting.claim.messages, waiting.claims], [[], 0]);
  const { nextDueInMs } = waiting.claim;
  assert(nextDueInMs !== null && nextDueInMs > 0 && nextDueInMs <= 600_000, `${nextDueInMs}`);
  await database.admin`update messaging.dispatch set next_due_at = now()`;
  await database.admin`update messaging.message_queue set scheduled_at = now()`;
  const due = await poll(database);
  assertEquals([due.claim.messages.length, due.claims], [1, 1]);
});

Deno.test("an outbox row that is due is reported though no message is", async () => {
  await using database = await createTestDatabase();
  const { workspaceId } = await createTenant(database.admin);
  await database.admin`
    insert into messaging.outbox (workspace_id, kind, payload, run_at)
    values (${workspaceId}, 'assignment_email', '{}', now())`;
  assertEquals((await poll(database)).claim.isOutboxDue, true);
});

Deno.test("an outbox row that waits for its worker makes the dispatcher poll no sooner", async () => {
  await using database = await createTestDatabase();
  const { workspaceId } = await createTenant(database.admin);
  await database.admin`
    insert into messaging.outbox (workspace_id, kind, payload, run_at)
    values (${workspaceId}, 'media_fetch', '{}', now())`;
  const due = await poll(database);
  assertEquals([due.claim.nextDueInMs, due.claims], [null, 0]);
  await database.admin`update messaging.outbox set run_at = now() + interval '1 minute'`;
  const { claim } = await poll(database);
  assertEquals(claim.isOutboxDue, false);
  const { nextDueInMs } = claim;
  assert(nextDueInMs !== null && nextDueInMs > 0 && nextDueInMs <= 60_000, `${nextDueInMs}`);
});

/** Polls once; counts the calls of claim_paced_messages in it. */
async function poll({ admin }: TestDatabase): Promise<{ claim: Claim; claims: number }> {
  return await admin.begin(async (sql) => {
    await sql`set local track_functions = 'pl'`;
    const count = async (): Promise<number> => {
      const [row] = await sql<{ calls: number | null }[]>`
        select pg_stat_get_xact_function_calls(oid)::integer as calls
        from pg_proc where proname = 'claim_paced_messages'`;
      return row?.calls ?? 0;
    };
    const [row] = await sql<{ claim: Claim }[]>`
      select public.claim_due_messages('{"maxMessages": 10, "leaseSeconds": 30}') as claim`;
    assert(row !== undefined);
    return { claim: row.claim, claims: await count() };
  });
}
