/** The floor of due deliveries: a look for them reads nothing of what was delivered, and misses nothing. */

import type { Sql } from "postgres";
import type { ClaimedDeliveries } from "../../../shared/database/rpcs/webhooks.ts";
import { assert, assertEquals, assertLess } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { countPagesOfCall } from "../../support/database/pages_read.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { openSessions } from "../../support/database/sessions.ts";
import { changeUnfollowed } from "../../support/database/unfollowed_change.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const hourAgo = "now() - interval '1 hour'";

/** What a run of the dispatcher does every five seconds. */
async function maintain(sql: Sql): Promise<void> {
  await callFunction(sql, "expire_claims", { maxMessages: 10 });
}

const claimRequest = {
  ...{ maxDeliveries: 100, leaseSeconds: 30, perEndpoint: 10, perFailingEndpoint: 2, places: {} },
};

/** @returns how many deliveries were claimed. */
async function claim(sql: Sql): Promise<number> {
  const { deliveries } = await callFunction<ClaimedDeliveries>(
    ...[sql, "claim_event_deliveries", claimRequest] as const,
  );
  return deliveries.length;
}

/** An endpoint that has been told nothing yet. */
async function createEndpoint(admin: Sql, instanceId: string): Promise<void> {
  await admin`
    insert into messaging.event_endpoints (id, instance_id, url, sealed_secret, told_through)
    values (gen_random_uuid(), ${instanceId}, 'https://receiver.example.com', 'v1.key.x', 0)`;
}

/** Events of an hour ago that nobody has made deliveries of. */
async function recordEvents(admin: Sql, instanceId: string, count: number): Promise<void> {
  await admin.unsafe(
    `insert into messaging.events (instance_id, type, data, recorded_at)
     select $1, 'agent.resumed', '{}', ${hourAgo} from generate_series(1, $2::integer)`,
    [instanceId, count],
  );
}

Deno.test("beside an old snapshot neither a poll nor a claim of deliveries reads what was delivered", async () => {
  await using database = await createTestDatabase({ own: true });
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  const { one, two } = await openSessions(database);
  await createEndpoint(admin, instanceId);
  await two.unsafe("begin isolation level repeatable read");
  await two`select count(*) from messaging.instances`;
  await recordEvents(admin, instanceId, 3_000);
  await admin.unsafe(`
    insert into messaging.event_deliveries (endpoint_id, sequence, event_id, type, next_attempt_at)
    select e.id, v.sequence, v.id, v.type, v.recorded_at
    from messaging.events v cross join messaging.event_endpoints e;
    update messaging.event_endpoints set told_through = (select max(sequence) from messaging.events);
    update messaging.event_deliveries set status = 'delivered', next_attempt_at = null;`);
  const count = async (name: string, request: Record<string, unknown>): Promise<number> =>
    await countPagesOfCall(one, name, () => Promise.resolve(request));
  const countBoth = async (): Promise<readonly [number, number]> => [
    await count("claim_due_messages", { maxMessages: 100, leaseSeconds: 30 }),
    await count("claim_event_deliveries", claimRequest),
  ];
  const unbounded = await countBoth();
  await maintain(one);
  const bounded = await countBoth();
  for (const [place, pages] of bounded.entries()) {
    assertLess(
      3 * pages,
      unbounded[place] ?? 0,
      `${unbounded} pages without the floor, ${bounded}`,
    );
  }
  await two.unsafe("rollback");
});

Deno.test("deliveries of events that waited for long are claimed at once", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin);
  await maintain(sql);
  const [row] = await admin`
    select pg_sequence_last_value('messaging.delivery_floor') is not null as is_raised`;
  assert(row?.["is_raised"]);
  await createEndpoint(admin, instanceId);
  await recordEvents(admin, instanceId, 3);
  assertEquals(await claim(sql), 3);
});

Deno.test("what is due below the floor all the same, as after a restore, is found by the next maintenance", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createTenant(admin);
  await createEndpoint(admin, instanceId);
  await recordEvents(admin, instanceId, 1);
  assertEquals(await claim(sql), 1);
  await maintain(sql);
  await changeUnfollowed(admin, async (transaction) => {
    await transaction.unsafe(`update messaging.event_deliveries set next_attempt_at = ${hourAgo}`);
  });
  assertEquals(await claim(sql), 0);
  await maintain(sql);
  assertEquals(await claim(sql), 1);
});
