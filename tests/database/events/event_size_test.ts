/** How large an event and a page of the feed may be, and what is cut of a larger one. */

import type { Sql } from "postgres";
import type { FeedPage } from "../../../shared/database/rpcs/events.ts";
import { assert, assertEquals, assertLessOrEqual } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const mostBytes = 19_200;

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

// deno-lint-ignore no-explicit-any -- the data of an event
async function fit(sql: Sql, data: object): Promise<any> {
  const [row] = await sql`
    select messaging.fit_event_data(${JSON.stringify(data)}::text::jsonb) as fitted`;
  return row?.["fitted"];
}

Deno.test("of an event's data the longest text or list is cut first, also within an object, and the rest stays", async () => {
  await using database = await createTestDatabase();
  const short = { message: "m".repeat(4_000), tags: ["a", "b"], number: 7, contact: { name: "n" } };
  assertEquals(await fit(database.admin, short), short);
  const whole = { ...short, note: "x".repeat(14_500) };
  assertEquals(await fit(database.admin, whole), whole, "that is not too long");

  const ofText = await fit(database.admin, { ...short, note: "x".repeat(30_000) });
  const { note, ...others } = ofText;
  assertEquals(others, { ...short, isTruncated: true });
  assert(/^x{10000,}$/.test(note), `${note.length} characters`);

  const deep = { ...short, contact: { name: "n", notes: "y".repeat(30_000) } };
  const { contact, ...besides } = await fit(database.admin, deep);
  assertEquals([besides, contact.name], [
    { message: short.message, tags: short.tags, number: 7, isTruncated: true },
    "n",
  ]);
  assert(/^y{10000,}$/.test(contact.notes), `${contact.notes.length} characters`);

  const items = Array.from({ length: 31 }, (_, place) => `${place} ${"z".repeat(900)}`);
  const { list, ...beside } = await fit(database.admin, { ...short, list: items });
  assertEquals([beside, list], [{ ...short, isTruncated: true }, items.slice(0, 15)]);

  const both = await fit(database.admin, { one: "1".repeat(30_000), two: "2".repeat(30_000) });
  assert(both.one.length > 5_000 && both.two.length > 5_000);
  for (const fitted of [ofText, both]) assertLessOrEqual(bytesOf(fitted), mostBytes);
});

Deno.test("a page of the feed has 2 MiB of events at most, and at least one", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  const count = 130;
  await database.admin`
    insert into messaging.events (instance_id, type, data)
    select ${instanceId}, 'agent.paused', jsonb_build_object('place', n, 'text', repeat('x', 18000))
    from generate_series(1, ${count}) n`;
  const read = async (after: string): Promise<Extract<FeedPage, { readonly state: "ok" }>> => {
    const page = await callFunction<FeedPage>(database.sql, "read_events", {
      ...{ instanceId, after, types: null, limit: 1_000 },
    });
    if (page.state !== "ok") throw new Error(`unexpected ${page.state}`);
    return page;
  };
  const first = await read("oldest");
  assertEquals(first.hasMore, true);
  assertLessOrEqual(bytesOf(first.items), 2 * 1024 * 1024);
  assert(first.items.length > 110, `${first.items.length} events`);
  const rest = await read(first.nextCursor);
  assertEquals(rest.hasMore, false);
  assertEquals(
    [...first.items, ...rest.items].map(({ data }) => data["place"]),
    Array.from({ length: count }, (_, place) => place + 1),
  );
  // No event is as large as a page: what is larger than it would still be read.
  await database.admin`
    update messaging.events set data = jsonb_build_object('text', repeat('x', 3000000))
    where sequence in (select sequence from messaging.events order by sequence limit 2)`;
  const large = await read("oldest");
  assertEquals([large.items.length, large.hasMore], [1, true]);
});
