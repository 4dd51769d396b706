/** The reader of the feed beside the sweep that deletes old events: no event is passed over silently. */

import type { Sql } from "postgres";
import type { FeedPage } from "../../../shared/database/rpcs/events.ts";
import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { isWaiting, openSessions } from "../../support/database/sessions.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";

Deno.test("a reader whose events are deleted while it reads is told so, and where the feed begins", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  const [first] = await recordOldEvents(database.admin, instanceId, 4);
  const start = await readPage(database.sql, instanceId, "oldest", 1);
  assertEquals(sequencesOf(start), [first]);
  const kept = await recordEvent(database.admin, instanceId);
  const page = await readWhilePurging(database, instanceId, cursorOf(start));
  if (page.state !== "expired") throw new Error(`three events were passed over: ${page.state}`);
  const rest = await readPage(database.sql, instanceId, page.oldestCursor, 10);
  assertEquals(sequencesOf(rest), [kept]);
});

Deno.test("a reader from the oldest event on reads what a sweep leaves, and goes on behind it", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  await recordOldEvents(database.admin, instanceId, 4);
  const page = await readWhilePurging(database, instanceId, "oldest");
  assertEquals(sequencesOf(page), []);
  const kept = await recordEvent(database.admin, instanceId);
  assertEquals(sequencesOf(await readPage(database.sql, instanceId, cursorOf(page), 10)), [kept]);
});

Deno.test("a reader that begins now goes on behind what a sweep deletes meanwhile", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  await recordOldEvents(database.admin, instanceId, 4);
  const page = await readWhilePurging(database, instanceId, null);
  const kept = await recordEvent(database.admin, instanceId);
  assertEquals(sequencesOf(await readPage(database.sql, instanceId, cursorOf(page), 10)), [kept]);
});

Deno.test("a sweep deletes the old events of an instance that is gone too", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const [gone, kept] = [await createTenant(admin), await createTenant(admin)];
  for (const { instanceId } of [gone, kept]) await recordOldEvents(admin, instanceId, 2);
  await admin`delete from messaging.instances where id = ${gone.instanceId}`;
  const [swept] = await admin`select messaging.purge_events(1000, clock_timestamp()) as events`;
  assertEquals(swept?.["events"], 4);
  const streams = await admin`select instance_id from messaging.event_streams`;
  assertEquals(streams.map((stream) => stream["instance_id"]), [kept.instanceId]);
});

/** Reads a page while a sweep deletes events, between the reader's first look and its rows. */
async function readWhilePurging(
  database: TestDatabase,
  instanceId: string,
  after: string | null,
): Promise<FeedPage> {
  const { one: reader } = await openSessions(database);
  const sweep = database.connect({ max: 1, role: "superuser" });
  // Makes the row of the stream, so that the reader has it before it waits.
  await readPage(reader, instanceId, null, 1);
  await sweep`begin`;
  await sweep`lock table messaging.events in access exclusive mode`;
  const page = readPage(reader, instanceId, after, 10);
  await waitUntil(() => isWaiting(database.admin), { what: "the reader at the events" });
  await sweep`select messaging.purge_events(1000, clock_timestamp())`;
  await sweep`commit`;
  return await page;
}

async function recordOldEvents(admin: Sql, instanceId: string, count: number): Promise<number[]> {
  const rows = await admin<{ sequence: string }[]>`
    insert into messaging.events (instance_id, type, data, recorded_at)
    select ${instanceId}, 'agent.resumed', '{}', clock_timestamp() - interval '31 days'
    from generate_series(1, ${count})
    returning sequence::text`;
  return rows.map(({ sequence }) => Number(sequence));
}

async function recordEvent(admin: Sql, instanceId: string): Promise<number> {
  const [row] = await admin<{ sequence: string }[]>`
    insert into messaging.events (instance_id, type, data)
    values (${instanceId}, 'agent.resumed', '{}') returning sequence::text`;
  return Number(row?.sequence);
}

async function readPage(
  sql: Sql,
  instanceId: string,
  after: string | null,
  limit: number,
): Promise<FeedPage> {
  const query = { instanceId, after, types: null, limit };
  const [row] = await sql<{ page: FeedPage }[]>`
    select public.read_events(${sql.json(query)}) as page`;
  if (row === undefined) throw new Error("no page");
  return row.page;
}

function cursorOf(page: FeedPage): string {
  if (page.state !== "ok") throw new Error(`no page: ${page.state}`);
  return page.nextCursor;
}

function sequencesOf(page: FeedPage): number[] {
  if (page.state !== "ok") throw new Error(`no page: ${page.state}`);
  return page.items.map(({ sequence }) => sequence);
}
