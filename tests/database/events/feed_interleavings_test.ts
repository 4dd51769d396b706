/**
 * The reader of the feed against a writer, statement by statement, in every order: whatever is
 * committed is read once and in order. The functions are those of the product, with points at which
 * a session of this test waits.
 */

import type { Sql } from "postgres";
import type { FeedPage } from "../../../shared/database/rpcs/events.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";

/** The points, as keys of locks. A writer passes the first two, a reader the others. */
const points = { floorRead: 1, floorHeld: 2, lastReadByReader: 3, locksReadByReader: 4 } as const;
type Point = (typeof points)[keyof typeof points];

/** Statements of the product before which, or around which, a point is put. */
const cuts: readonly {
  readonly functionName: string;
  readonly found: string;
  readonly put: (found: string) => string;
}[] = [
  {
    functionName: "messaging.lock_event_floor(uuid)",
    found:
      "((COALESCE(pg_sequence_last_value('messaging.event_sequence'::regclass), (0)::bigint))::bit(32))::integer",
    put: (found) => `public.pass_point(${points.floorRead}, ${found})`,
  },
  {
    functionName: "messaging.record_event(uuid,uuid,text,jsonb)",
    found: "insert into messaging.events",
    put: (found) => `perform public.pass_point(${points.floorHeld}, 0); ${found}`,
  },
  {
    functionName: "messaging.event_horizon(uuid)",
    found: "select min(",
    put: (found) => `perform public.pass_point(${points.lastReadByReader}, 0); ${found}`,
  },
  {
    functionName: "public.read_events(jsonb)",
    found: "if position is null then\n    select",
    put: (found) => `perform public.pass_point(${points.locksReadByReader}, 0); ${found}`,
  },
];

const passPoint = `
  create function public.pass_point(point integer, value integer) returns integer
  language plpgsql as $$
  begin
    if current_setting('feed_test.waits', true) = 'on' then
      perform pg_advisory_xact_lock_shared(point);
    end if;
    return value;
  end;
  $$;
  grant execute on function public.pass_point(integer, integer) to service_role;`;

/** Steps of the two sessions. The third party writes and commits in one step. */
type Step = "writer" | "reader" | "other";
const readerSteps = 3;
const writerSteps = 4;

Deno.test("in every order of a reader's and a writer's statements each event is read once, in order", async () => {
  await using database = await createTestDatabase({ own: true });
  await installPoints(database);
  const actors = await openActors(database);
  const orders = interleave(readerSteps, writerSteps).flatMap((order) =>
    (["commit", "rollback"] as const).map((ends) => ({ order, ends }))
  );
  assertEquals(orders.length, 2 * 35 * 8);
  const instanceIds = await createInstances(database.admin, orders.length);
  let delayed = 0;
  for (const [place, { order, ends }] of orders.entries()) {
    const play = { instanceId: instanceIds[place]!, order, ends };
    const { first, all, committed } = await run(actors, play);
    assertEquals(all, committed, `${ends}: ${order.join(" ")}`);
    if (first < committed.length) delayed += 1;
  }
  assert(delayed > 0, "a reader has met a writer under way");
});

interface Actors {
  readonly database: TestDatabase;
  readonly writer: Sql;
  readonly reader: Sql;
  /** Holds the points closed. */
  readonly gatekeeper: Sql;
}

/** An order of steps for an instance, and how the writer ends. */
interface Play {
  readonly instanceId: string;
  readonly order: readonly Step[];
  readonly ends: "commit" | "rollback";
}

/** Plays one order, reads on to the end, and returns what was read and what is there. */
async function run(
  { database, writer, reader, gatekeeper }: Actors,
  { instanceId, order, ends }: Play,
): Promise<{ first: number; all: string[]; committed: string[] }> {
  await gatekeeper`select pg_advisory_lock(point) from unnest(${
    Object.values(points)
  }::integer[]) as point`;
  await writer`begin`;
  let page: Promise<FeedPage> | undefined;
  const writing = new SteppedCall(
    gatekeeper,
    [points.floorRead, points.floorHeld],
    () => record(writer, instanceId),
  );
  const reading = new SteppedCall(
    gatekeeper,
    [points.lastReadByReader, points.locksReadByReader],
    () => {
      page = readPage(reader, instanceId, "oldest");
      return page;
    },
  );
  const steps: Readonly<Record<Step, () => Promise<unknown>>> = {
    other: () => record(database.sql, instanceId),
    reader: () => reading.step(),
    writer: () => writing.isOver ? writer.unsafe(ends) : writing.step(),
  };
  for (const step of order) await steps[step]();
  const firstPage = await page;
  if (firstPage?.state !== "ok") throw new Error("no first page");
  const rest = await readPage(database.sql, instanceId, firstPage.nextCursor);
  if (rest.state !== "ok") throw new Error("no second page");
  const committed = await database.admin<{ sequence: string }[]>`
    select sequence::text from messaging.events where instance_id = ${instanceId}
    order by events.sequence`;
  return {
    first: firstPage.items.length,
    all: [...firstPage.items, ...rest.items].map(({ sequence }) => String(sequence)),
    committed: committed.map(({ sequence }) => sequence),
  };
}

/** A call that goes on from point to point. */
class SteppedCall {
  #next = 0;
  #call: Promise<unknown> | undefined;
  isOver = false;

  constructor(
    private readonly gatekeeper: Sql,
    private readonly points: readonly Point[],
    private readonly start: () => Promise<unknown>,
  ) {}

  /** Goes on to the next point, or to the end of the call. */
  async step(): Promise<void> {
    if (this.#call === undefined) this.#call = this.start();
    else await this.gatekeeper`select pg_advisory_unlock(${this.points[this.#next++] ?? 0})`;
    const point = this.points[this.#next];
    if (point === undefined) {
      await this.#call;
      this.isOver = true;
    } else {
      await waitUntil(() => waitsAt(this.gatekeeper, point), {
        ...{ intervalMs: 1, what: `a session at point ${point}` },
      });
    }
  }
}

async function waitsAt(sql: Sql, point: Point): Promise<boolean> {
  const rows = await sql`
    select from pg_locks
    where locktype = 'advisory' and objsubid = 1 and objid = ${point} and not granted
      and database = (select oid from pg_database where datname = current_database())`;
  return rows.length > 0;
}

/** Every order of the steps, with the third party's step at every place. */
function interleave(readers: number, writers: number): Step[][] {
  const merge = (left: number, right: number): Step[][] => {
    if (left === 0 || right === 0) {
      return [[...Array<Step>(left).fill("reader"), ...Array<Step>(right).fill("writer")]];
    }
    return [
      ...merge(left - 1, right).map((rest): Step[] => ["reader", ...rest]),
      ...merge(left, right - 1).map((rest): Step[] => ["writer", ...rest]),
    ];
  };
  return merge(readers, writers).flatMap((order) =>
    Array.from({ length: order.length + 1 }, (_, place) => order.toSpliced(place, 0, "other"))
  );
}

async function installPoints({ admin }: TestDatabase): Promise<void> {
  await admin.unsafe(passPoint);
  for (const { functionName, found, put } of cuts) {
    const [row] = await admin<{ definition: string }[]>`
      select pg_get_functiondef(${functionName}::regprocedure) as definition`;
    const parts = row?.definition.split(found) ?? [];
    assertEquals(parts.length, 2, `${functionName} has the statement once`);
    await admin.unsafe(parts.join(put(found)));
  }
}

async function openActors(database: TestDatabase): Promise<Actors> {
  const [writer, reader] = [database.connect({ max: 1 }), database.connect({ max: 1 })];
  for (const session of [writer, reader]) await session`set feed_test.waits = 'on'`;
  return { database, writer, reader, gatekeeper: database.connect({ max: 1, role: "superuser" }) };
}

/** Instances with one event each, for the many orders at once. */
async function createInstances(admin: Sql, count: number): Promise<string[]> {
  const { instanceId } = await createTenant(admin);
  const rows = await admin<{ id: string }[]>`
    insert into messaging.instances (workspace_id, name, provider, sealed_provider_config, embed_key,
      connected_phone, connected_phone_key, time_zone)
    select workspace_id, name, provider, sealed_provider_config, 'emb_' || n, connected_phone,
      connected_phone_key, time_zone
    from messaging.instances, generate_series(1, ${count}) as n
    where id = ${instanceId}
    returning id`;
  const ids = rows.map(({ id }) => id);
  await admin`
    select messaging.record_event(id, null, 'agent.resumed', '{}') from unnest(${ids}::uuid[]) as id`;
  return ids;
}

async function record(sql: Sql, instanceId: string): Promise<void> {
  await sql`select messaging.record_event(${instanceId}::uuid, null, 'agent.resumed', '{}')`;
}

async function readPage(sql: Sql, instanceId: string, after: string): Promise<FeedPage> {
  const query = { instanceId, after, types: null, limit: 100 };
  const [row] = await sql<{ page: FeedPage }[]>`select public.read_events(${
    sql.json(query)
  }) as page`;
  if (row === undefined) throw new Error("no page");
  return row.page;
}
