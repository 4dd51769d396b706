import type { Sql } from "postgres";
import type { EventRecord, FeedPage } from "../../../shared/database/rpcs/events.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { createSeededRandom } from "../../support/seeded_random.ts";

Deno.test("an event that commits late is not passed by, and delays no other instance", async () => {
  await using database = await createTestDatabase();
  const [slow, other] = await createInstances(database);
  const reader = new FeedReader(database.sql, slow);
  const otherReader = new FeedReader(database.sql, other);
  const [early, late] = [database.connect({ max: 1 }), database.connect({ max: 1 })];
  await early`begin`;
  await record(early, slow, { number: 1 });
  await record(late, slow, { number: 2 });
  await record(late, other, { number: 3 });
  assertEquals(await reader.readAll(), [], "the second is not told before the first");
  assertEquals(await otherReader.readAll(), [3]);
  await early`commit`;
  assertEquals(await reader.readAll(), [1, 2]);
});

Deno.test("a transaction that rolls back leaves a gap that nobody waits for", async () => {
  await using database = await createTestDatabase();
  const [instance] = await createInstances(database);
  const reader = new FeedReader(database.sql, instance);
  const writer = database.connect({ max: 1 });
  await writer`begin`;
  await record(writer, instance, { number: 1 });
  await writer`rollback`;
  await record(writer, instance, { number: 2 });
  assertEquals(await reader.readAll(), [2]);
});

Deno.test("a transaction that tells many instances is waited for in the feed of each", async () => {
  await using database = await createTestDatabase();
  const instances = await createInstances(database);
  const readers = instances.map((instance) => new FeedReader(database.sql, instance));
  const readAll = (): Promise<number[][]> => Promise.all(readers.map((reader) => reader.readAll()));
  const [many, late] = [database.connect({ max: 1 }), database.connect({ max: 1 })];
  for (const further of [0, 150]) {
    const ids = [...Array.from({ length: further }, () => crypto.randomUUID()), ...instances];
    await many`begin`;
    await many`select messaging.hold_event_floor(id) from unnest(${ids}::uuid[]) as i(id)`;
    for (const instance of instances) await record(late, instance, { number: 1 });
    assertEquals(await readAll(), [[], []], `beside ${further} others`);
    for (const instance of instances) await record(many, instance, { number: 2 });
    await many`commit`;
    assertEquals(await readAll(), [[1, 2], [1, 2]]);
  }
});

Deno.test("a transaction takes a hundred floors at most, then one that every reader waits for", async () => {
  await using database = await createTestDatabase();
  const [instance] = await createInstances(database);
  const reader = new FeedReader(database.sql, instance);
  const [many, late] = [database.connect({ max: 1 }), database.connect({ max: 1 })];
  await many`begin`;
  const countFloors = async (): Promise<number> => {
    for (let count = 0; count < 90; count++) {
      await many`select messaging.hold_event_floor(gen_random_uuid())`;
    }
    const [row] = await many`
      select count(*)::integer as floors from pg_locks
      where locktype = 'advisory' and objsubid = 2 and pid = pg_backend_pid()`;
    return row?.["floors"];
  };
  assertEquals([await countFloors(), await countFloors(), await countFloors()], [90, 101, 101]);
  await record(late, instance, { number: 1 });
  assertEquals(await reader.readAll(), []);
  await many`commit`;
  assertEquals(await reader.readAll(), [1]);
});

Deno.test("a floor that a savepoint took is gone with it, and the next event takes one anew", async () => {
  await using database = await createTestDatabase();
  const [instance] = await createInstances(database);
  const reader = new FeedReader(database.sql, instance);
  const [early, late] = [database.connect({ max: 1 }), database.connect({ max: 1 })];
  await early`begin`;
  await early`savepoint first`;
  await record(early, instance, { number: 1 });
  await early`rollback to savepoint first`;
  await record(late, instance, { number: 2 });
  assertEquals(await reader.readAll(), [2], "the first is undone");
  await record(early, instance, { number: 3 });
  await record(late, instance, { number: 4 });
  assertEquals(await reader.readAll(), [], "the third has a number, and is not visible");
  await early`commit`;
  assertEquals(await reader.readAll(), [3, 4]);
});

Deno.test("the horizon is right where the numbers outgrow 32 bits", async () => {
  await using database = await createTestDatabase();
  const [instance] = await createInstances(database);
  for (const last of [2n ** 31n, 2n ** 32n, 2n ** 40n]) {
    await database.admin`select setval('messaging.event_sequence', ${String(last - 1n)}::bigint)`;
    const [early, late] = [database.connect({ max: 1 }), database.connect({ max: 1 })];
    await early`begin`;
    await record(early, instance, { number: 1 });
    await record(late, instance, { number: 2 });
    assertEquals(await readHorizon(database.sql, instance), last - 1n, "the floor of the first");
    await early`commit`;
    assertEquals(await readHorizon(database.sql, instance), last + 1n);
    await Promise.all([early.end(), late.end()]);
  }
});

Deno.test("a transaction that takes its floor after a reader has looked draws numbers that are past its horizon", async () => {
  await using database = await createTestDatabase();
  const [instance] = await createInstances(database);
  const [holder, late] = [database.connect({ max: 1 }), database.connect({ max: 1 })];
  await holder`begin`;
  await holder`select messaging.hold_event_floor(${instance}::uuid)`;
  await record(late, instance, { number: 1 });
  const horizon = await readHorizon(database.sql, instance);
  await record(holder, instance, { number: 2 });
  await record(late, instance, { number: 3 });
  await holder`commit`;
  const beyond = await database.admin<{ number: number }[]>`
    select (data->>'number')::integer as number from messaging.events
    where sequence > ${String(horizon)}::bigint order by sequence`;
  assertEquals(beyond.map(({ number }) => number), [1, 2, 3], "held before any number was drawn");
});

Deno.test("two hundred writers and one reader: nothing missed, nothing twice, in order", async () => {
  await using database = await createTestDatabase();
  const [instance, other] = await createInstances(database);
  const draw = createSeededRandom(20261122);
  const random = (): number => draw.between(0, 1);
  const contacts = await createContacts(database.admin, instance, 5);
  const reader = new FeedReader(database.sql, instance, 7);
  const writers = database.connect({ max: 25 });
  let isWriting = true;
  const reading = (async () => {
    while (isWriting) await reader.readAll();
  })();
  const plans = Array.from({ length: 200 }, () => ({
    contactId: contacts[Math.floor(random() * contacts.length)] ?? "",
    events: 1 + Math.floor(random() * 3),
    waitBefore: random() * 0.01,
    waitAfter: random() < 0.2 ? random() * 0.1 : 0,
    fails: random() < 0.1,
    isOther: random() < 0.2,
  }));
  await Promise.all(plans.map(async (plan) => {
    const failure = new Error("rolled back on purpose");
    try {
      await writers.begin(async (transaction) => {
        await transaction`select pg_sleep(${plan.waitBefore})`;
        // Two contacts' transactions commit in any order; those of one contact wait for its row.
        await transaction`
          update messaging.contacts set notes = (coalesce(notes, '0')::integer + 1)::text
          where id = ${plan.contactId}`;
        for (let event = 0; event < plan.events; event++) {
          await transaction`
            select messaging.record_event(
              ${plan.isOther ? other : instance}::uuid, c.id, 'contact.updated',
              jsonb_build_object(
                'number', c.notes::integer * 10 + ${event}::integer,
                'fieldsUpdated', jsonb '["notes"]'
              )
            ) from messaging.contacts c where c.id = ${plan.contactId}`;
        }
        await transaction`select pg_sleep(${plan.waitAfter})`;
        if (plan.fails) throw failure;
      });
    } catch (error) {
      if (error !== failure) throw error;
    }
  }));
  isWriting = false;
  await reading;
  await reader.readAll();
  const stored = await database.admin<{ sequence: string }[]>`
    select e.sequence::text from messaging.events e where e.instance_id = ${instance}
    order by e.sequence`;
  assertEquals(
    reader.events.map(({ sequence }) => String(sequence)),
    stored.map((e) => e.sequence),
  );
  for (const contactId of contacts) {
    const own = await database.admin<{ sequence: string }[]>`
      select sequence::text from messaging.events
      where contact_id = ${contactId} and instance_id = ${instance}`;
    const sequences = new Set(own.map(({ sequence }) => sequence));
    const numbers = reader.events.filter(({ sequence }) => sequences.has(String(sequence)))
      .map(({ data }) => Number(data["number"]));
    assert(numbers.length > 0);
    assertEquals(numbers, numbers.toSorted((a, b) => a - b), "one contact's events rise");
  }
});

/** Follows the cursor of a feed from its beginning. */
class FeedReader {
  readonly events: EventRecord[] = [];
  #cursor = "oldest";

  constructor(
    private readonly sql: Sql,
    private readonly instanceId: string,
    private readonly limit = 100,
  ) {}

  /** Reads until nothing is left, and returns the numbers of what it read. */
  async readAll(): Promise<number[]> {
    const numbers: number[] = [];
    for (;;) {
      const [row] = await this.sql<{ page: FeedPage }[]>`
        select public.read_events(${
        this.sql.json({
          instanceId: this.instanceId,
          after: this.#cursor,
          types: null,
          limit: this.limit,
        })
      }) as page`;
      const page = row?.page;
      if (page?.state !== "ok") throw new Error(`unexpected ${page?.state}`);
      this.events.push(...page.items);
      numbers.push(...page.items.map(({ data }) => Number(data["number"])));
      this.#cursor = page.nextCursor;
      if (!page.hasMore) return numbers;
    }
  }
}

async function createInstances(database: TestDatabase): Promise<[string, string]> {
  const tenants = [await createTenant(database.admin), await createTenant(database.admin)];
  return [tenants[0]?.instanceId ?? "", tenants[1]?.instanceId ?? ""];
}

async function createContacts(admin: Sql, instanceId: string, count: number): Promise<string[]> {
  const rows = await admin<{ id: string }[]>`
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    select ${instanceId}, (5511900000000 + n)::text, (5511900000000 + n)::text, 'api'
    from generate_series(1, ${count}) as n
    returning id`;
  return rows.map(({ id }) => id);
}

async function record(sql: Sql, instanceId: string, data: { number: number }): Promise<void> {
  await sql`
    select messaging.record_event(${instanceId}::uuid, null, 'agent.paused', ${sql.json(data)})`;
}

async function readHorizon(sql: Sql, instanceId: string): Promise<bigint> {
  const [row] = await sql<{ horizon: string }[]>`
    select messaging.event_horizon(${instanceId}::uuid)::text as horizon`;
  return BigInt(row?.horizon ?? 0);
}
