/** The short way of settling a dispatcher's batch of paced messages. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction, enqueueText } from "../../support/database/queue_calls.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

interface Claim {
  readonly messageId: string;
  readonly claimToken: string;
  readonly instanceId: string;
}

/** Claimed messages of as many instances, in the order of their ids. */
async function claimPaced(database: TestDatabase, count: number): Promise<readonly Claim[]> {
  for (let number = 0; number < count; number += 1) {
    await enqueueText(database.sql, (await createTenant(database.admin)).instanceId);
  }
  const { messages } = await callFunction<{ messages: Claim[] }>(
    database.sql,
    "claim_due_messages",
    { maxMessages: count, leaseSeconds: 35 },
  );
  assertEquals(messages.length, count);
  return messages.toSorted((a, b) => a.messageId < b.messageId ? -1 : 1);
}

async function settle(sql: Sql, claims: readonly Claim[]): Promise<number> {
  const { settled } = await callFunction<{ settled: string[] }>(sql, "settle_messages", {
    results: claims.map(({ messageId, claimToken }) => ({
      ...{ messageId, claimToken, outcome: "accepted" },
      providerMessageId: `wamid-${messageId}`,
    })),
  });
  return settled.length;
}

Deno.test("a delivery event that came before the answer is not undone by a dispatcher's batch", async () => {
  await using database = await createTestDatabase();
  const claims = await claimPaced(database, 3);
  const [early] = claims;
  assert(early);
  await callFunction(database.sql, "record_provider_events", {
    ...{ instanceId: early.instanceId, sealedProviderConfig: null, payload: "{}" },
    events: [{
      ...{ kind: "status", providerMessageId: `wamid-${early.messageId}`, status: "delivered" },
      occurredAt: new Date().toISOString(),
    }],
  });
  assertEquals(await settle(database.sql, claims), 3);
  const rows = await database.admin<{ status: string }[]>`
    select status from messaging.messages order by id`;
  assertEquals(rows.map(({ status }) => status), ["delivered", "sent", "sent"]);
});

Deno.test("a batch of several instances holds the readers of each until it is committed", async () => {
  await using database = await createTestDatabase();
  const claims = await claimPaced(database, 3);
  const writer = database.connect({ max: 1 });
  /** How many instances have told events that their readers must not pass yet. */
  const countHeld = async (): Promise<number> => {
    const [row] = await database.admin<{ held: number }[]>`
      select count(*)::int as held
      from unnest(${claims.map(({ instanceId }) => instanceId)}::uuid[]) as i(id)
      where messaging.event_horizon(i.id) < (select last_value from messaging.event_sequence)`;
    return row?.held ?? -1;
  };
  await writer`begin`;
  await settle(writer, claims);
  assertEquals(await countHeld(), 3);
  await writer`commit`;
  assertEquals(await countHeld(), 0);
});

Deno.test("settling a batch calls no function for each of its messages but its state's check and what follows", async () => {
  await using database = await createTestDatabase();
  const claims = await claimPaced(database, 20);
  const called = await database.admin.begin(async (sql) => {
    await sql`set local track_functions = 'pl'`;
    assertEquals(await settle(sql as unknown as Sql, claims), 20);
    return await sql<{ name: string }[]>`
      select funcname as name from pg_stat_xact_user_functions where calls >= 20`;
  });
  assertEquals(called.map(({ name }) => name).sort(), [
    "is_message_state",
    "record_message_change",
  ]);
});
