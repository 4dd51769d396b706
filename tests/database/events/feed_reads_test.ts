/** What a page of the feed reads, counted in rows: the same with few events and with many. */

import type { Sql } from "postgres";
import type { FeedPage } from "../../../shared/database/rpcs/events.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countRowsRead } from "../../support/database/rows_read.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const pageSize = 100;
const few = 1_000;
const many = 30_000;
/** Events that one call reads at most, and the one by which it knows that there are more. */
const mostReads = 5_001;

type Reads = Readonly<Record<string, number>>;

Deno.test("a page of the feed reads as many rows among 30,000 events as among 1,000", async () => {
  await using database = await createTestDatabase({ own: true });
  const { instanceId } = await createTenant(database.admin);
  const other = (await createTenant(database.admin)).instanceId;
  await insertEvents(database, instanceId, few);
  await insertEvents(database, other, few);
  const among1000 = await readPages(database, instanceId);
  await insertEvents(database, instanceId, many - few);
  await insertEvents(database, other, few);
  // Once without statistics, as after a burst, and once with them.
  assertEquals(await readPages(database, instanceId), among1000);
  await database.admin`analyze messaging.events`;
  assertEquals(await readPages(database, instanceId), among1000);
  for (const [page, rows] of Object.entries(among1000)) {
    assert(rows <= 2 * (pageSize + 1) + 20, `${page} reads ${rows} rows`);
  }
});

Deno.test("a page of a type that no event has reads a bounded number of rows", async () => {
  await using database = await createTestDatabase({ own: true });
  const { instanceId } = await createTenant(database.admin);
  await insertEvents(database, instanceId, 20_000);
  const rows = await countRowsRead(database.sql, async (transaction) => {
    const page = await readPage(transaction, instanceId, "oldest", ["template.status_changed"]);
    assertEquals([page.items, page.hasMore], [[], true]);
  });
  assert(rows <= 2 * mostReads + 20, `${rows} rows`);
});

Deno.test("the deliveries of 500 events are made by reading those events alone, however many wait", async () => {
  await using database = await createTestDatabase({ own: true });
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  await insertEvents(database, instanceId, 10_000);
  await admin`
    insert into messaging.event_endpoints (id, instance_id, url, sealed_secret, told_through)
    values (gen_random_uuid(), ${instanceId}, 'https://receiver.example.com', 'v1.key.x', 0)`;
  const rows = await countRowsRead(admin, async (transaction) => {
    await transaction`select messaging.fan_out_events(500)`;
    const [made] = await transaction`
      select count(*)::integer as count from messaging.event_deliveries`;
    assertEquals(made?.["count"], 500);
  });
  assert(rows <= 8 * 500, `${rows} rows`);
});

/** The rows that pages at several places of the feed read. */
async function readPages({ admin, sql }: TestDatabase, instanceId: string): Promise<Reads> {
  const [edges] = await admin<{ middle: string; last: string }[]>`
    with feed as (
      select e.sequence, row_number() over (order by e.sequence) as place
      from messaging.events e where e.instance_id = ${instanceId}
    ), stream as (select (messaging.event_stream(${instanceId}::uuid)).cursor_key)
    select
      max(messaging.seal_event_cursor(f.sequence, s.cursor_key)) filter (where f.place = ${few / 2})
        as middle,
      (
        select messaging.seal_event_cursor(max(e.sequence), s.cursor_key) from feed e
      ) as last
    from feed f cross join stream s group by s.cursor_key`;
  const places = { oldest: "oldest", middle: edges?.middle, last: edges?.last, now: null };
  const sizes: Readonly<Record<string, number>> = {
    ...{ oldest: pageSize, middle: pageSize, last: 0, now: 0 },
  };
  const reads: Record<string, number> = {};
  for (const [place, after] of Object.entries(places)) {
    reads[place] = await countRowsRead(sql, async (transaction) => {
      const page = await readPage(transaction, instanceId, after);
      assertEquals(page.items.length, sizes[place], place);
    });
  }
  return reads;
}

async function readPage(
  sql: Sql,
  instanceId: string,
  after: string | null | undefined,
  types: readonly string[] | null = null,
): Promise<Extract<FeedPage, { readonly state: "ok" }>> {
  const request = { instanceId, after: after ?? null, types, limit: pageSize };
  const page = await callFunction<FeedPage>(sql, "read_events", request);
  if (page.state !== "ok") throw new Error(`unexpected ${page.state}`);
  return page;
}

async function insertEvents(
  { admin }: TestDatabase,
  instanceId: string,
  count: number,
): Promise<void> {
  await admin.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`
      insert into messaging.events (instance_id, type, data)
      select ${instanceId}, 'agent.resumed', '{}' from generate_series(1, ${count})`;
  });
}
