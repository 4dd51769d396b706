/** What the dispatcher's looks for webhooks read among 1,000 endpoints, counted in rows. */

import type { Sql } from "postgres";
import type { ClaimedDeliveries } from "../../../shared/database/rpcs/webhooks.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countRowsRead } from "../../support/database/rows_read.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const endpoints = 1_000;
const waitingEach = 5;

/** Endpoints that have been told all events of the instance; returns one in their middle. */
async function createEndpoints(admin: Sql, instanceId: string): Promise<string> {
  await admin`
    insert into messaging.events (instance_id, type, data)
    select ${instanceId}, 'agent.resumed', '{}' from generate_series(1, ${waitingEach})`;
  await admin`
    insert into messaging.event_endpoints (id, instance_id, url, sealed_secret, told_through)
    select md5(n::text)::uuid, ${instanceId}, 'https://receiver.example.com', 'v1.key.x',
      (select max(sequence) from messaging.events)
    from generate_series(1, ${endpoints}) as n`;
  const [row] = await admin<{ id: string }[]>`
    select id from messaging.event_endpoints order by id offset ${endpoints / 2} limit 1`;
  return row?.id ?? "";
}

/** Every event waits for an endpoint, until then. */
async function letWait(admin: Sql, endpointId: string, dueAt: Date): Promise<void> {
  await admin`
    insert into messaging.event_deliveries (endpoint_id, sequence, event_id, type, next_attempt_at)
    select ${endpointId}, v.sequence, v.id, v.type, ${dueAt} from messaging.events v`;
}

const claimRequest = {
  ...{ maxDeliveries: 100, leaseSeconds: 30, perEndpoint: 10, perFailingEndpoint: 2, places: {} },
};

for (const analyzed of ["never", "now"] as const) {
  Deno.test(`a look for webhooks reads what is due, not the ${endpoints} endpoints beside it, analyzed ${analyzed}`, async () => {
    await using database = await createTestDatabase({ own: true });
    const { admin } = database;
    const { instanceId } = await createTenant(admin);
    const dueEndpoint = await createEndpoints(admin, instanceId);
    if (analyzed === "now") await admin`vacuum analyze`;
    const look = async (expected: string): Promise<number> =>
      await countRowsRead(admin, async (transaction) => {
        const [row] = await transaction`select messaging.event_work() as work`;
        assertEquals(row?.["work"], expected);
      });
    const idle = await look("idle");
    assert(idle <= 3 * endpoints, `an idle look reads ${idle} rows`);
    await letWait(admin, dueEndpoint, new Date(Date.now() - 1_000));
    const due = await look("due");
    assert(due <= 20, `a look that finds one endpoint due reads ${due} rows`);

    let claimed: readonly string[] = [];
    const claiming = await countRowsRead(admin, async (transaction) => {
      const { deliveries } = await callFunction<ClaimedDeliveries>(
        ...[transaction, "claim_event_deliveries", claimRequest] as const,
      );
      claimed = deliveries.map(({ endpointId }) => endpointId);
    });
    assertEquals(claimed, Array(waitingEach).fill(dueEndpoint));
    // Each endpoint's feed is looked at once; the rest is of what is claimed.
    assert(claiming <= 4 * endpoints + 50 * waitingEach, `a claim reads ${claiming} rows`);
  });
}

Deno.test("a look finds what waits behind endpoints that wait for later, or take nothing any more", async () => {
  await using database = await createTestDatabase({ own: true });
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  await createEndpoints(admin, instanceId);
  const rows = await admin<{ id: string }[]>`
    select id from messaging.event_endpoints order by id limit 4`;
  const [later = "", inactive = "", due = "", last = ""] = rows.map(({ id }) => id);
  await letWait(admin, later, new Date(Date.now() + 3_600_000));
  await letWait(admin, inactive, new Date(Date.now() - 1_000));
  await admin`update messaging.event_endpoints set is_active = false where id = ${inactive}`;
  const look = async (): Promise<unknown> =>
    (await admin`select messaging.event_work() as work`)[0]?.["work"];
  assertEquals(await look(), "idle");
  for (const id of [due, last]) await letWait(admin, id, new Date(Date.now() - 1_000));
  assertEquals(await look(), "due");
  const { deliveries } = await callFunction<ClaimedDeliveries>(
    ...[admin, "claim_event_deliveries", claimRequest] as const,
  );
  assertEquals(new Set(deliveries.map(({ endpointId }) => endpointId)), new Set([due, last]));
});
