/** What a page of a list reads, whatever the filters and however many rows there are. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../assert.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { callFunction } from "./queue_calls.ts";
import { countMostRowsRead } from "./rows_read.ts";

export type Filter = Readonly<Record<string, unknown>>;

/** A list of an instance, whose rows are numbered from 0 in its order. */
export interface List<Item> {
  readonly rpc: string;
  readonly instanceId: string;
  readonly few: number;
  readonly many: number;
  /** Creates the instance. */
  readonly prepare: (admin: Sql) => Promise<unknown>;
  /** Writes rows until there are so many. */
  readonly fill: (admin: Sql, rows: number) => Promise<void>;
  /** Pages that an index finds, or that the first rows fill: they read what they show. */
  readonly cheap: readonly Filter[];
  /** Pages that read more, because the order does not tell where their rows are; but not without end. */
  readonly dear: readonly Filter[];
  readonly mostReads: (filter: Filter) => number;
  /** Which rows these lists hold. */
  readonly walks: readonly (readonly [Filter, (number: number) => boolean])[];
  readonly numberOf: (item: Item) => number;
}

/** The rows that a page of each cheap filter reads. */
type Reads = ReadonlyMap<Filter, number>;

/** Checks a list where Postgres was told nothing of its tables, and where it has just looked at them. */
export async function checkListReads<Item>(
  test: Deno.TestContext,
  list: List<Item>,
): Promise<void> {
  const ofFewAnalyzed = await readFewAnalyzed(list);
  await using database = await createTestDatabase({ own: true });
  const { admin } = database;
  const session = await openSession(database);
  await list.prepare(admin);
  await list.fill(admin, list.few);
  const ofFew = await readCheapPages(session, list);
  // The session keeps the plans that it has made among few.
  await list.fill(admin, list.many);
  await test.step("analyzed never", (step) => checkPages(step, session, list, ofFew));
  await admin`vacuum analyze`;
  await test.step("analyzed now", (step) => checkPages(step, session, list, ofFewAnalyzed));
}

async function readFewAnalyzed<Item>(list: List<Item>): Promise<Reads> {
  await using database = await createTestDatabase({ own: true });
  await list.prepare(database.admin);
  await list.fill(database.admin, list.few);
  await database.admin`vacuum analyze`;
  return await readCheapPages(await openSession(database), list);
}

async function openSession(database: TestDatabase): Promise<Sql> {
  const session = database.connect({ role: "superuser", max: 1 });
  // A plan that reads everything once per row would take minutes.
  await session`set statement_timeout = '120s'`;
  return session;
}

async function readCheapPages<Item>(session: Sql, list: List<Item>): Promise<Reads> {
  const reads = new Map<Filter, number>();
  for (const filter of list.cheap) reads.set(filter, await measure(session, list, filter));
  return reads;
}

function measure<Item>(
  session: Sql,
  { rpc, instanceId }: List<Item>,
  filter: Filter,
): Promise<number> {
  const request = { limit: 100, after: null, instanceId, ...filter };
  return countMostRowsRead(session, (sql) => callFunction(sql, rpc, request));
}

async function checkPages<Item>(
  test: Deno.TestContext,
  session: Sql,
  list: List<Item>,
  ofFew: Reads,
): Promise<void> {
  const { few, many } = list;
  for (const filter of list.cheap) {
    await test.step(JSON.stringify(filter), async () => {
      const [then, now] = [ofFew.get(filter) ?? 0, await measure(session, list, filter)];
      assert(now <= 2 * then + 400, `${then} rows read of ${few}, ${now} of ${many}`);
    });
  }
  for (const filter of list.dear) {
    await test.step(JSON.stringify(filter), async () => {
      const now = await measure(session, list, filter);
      assert(now <= list.mostReads(filter), `${now} rows read of ${many}`);
    });
  }
  await test.step("and the pages hold every row, in order", async () => {
    for (const [filter, isMeant] of list.walks) {
      const meant = Array.from({ length: many }, (_, number) => number).filter(isMeant);
      if (filter["order"] === "desc") meant.reverse();
      assertEquals(await walk(session, list, filter), meant, JSON.stringify(filter));
    }
  });
}

async function walk<Item>(
  session: Sql,
  { rpc, instanceId, numberOf }: List<Item>,
  filter: Filter,
): Promise<number[]> {
  const seen: number[] = [];
  let after: unknown = null;
  do {
    const request = { limit: 1_000, after, instanceId, ...filter };
    const page: { items: Item[]; next: unknown } = await callFunction(session, rpc, request);
    seen.push(...page.items.map(numberOf));
    after = page.next;
  } while (after !== null);
  return seen;
}
