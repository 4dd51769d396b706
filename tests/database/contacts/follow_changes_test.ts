/** A CRM that follows the contacts by `updatedSince`, while they change, ends with the same set. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { createOperator, createTenant } from "../../support/fixtures/tenant.ts";
import { createSeededRandom, type SeededRandom } from "../../support/seeded_random.ts";
import { waitUntil } from "../../support/wait_until.ts";

type Json = Readonly<Record<string, unknown>>;

/** A contact or a tombstone, as the list tells it. */
type Item = Json & { readonly contactId: string; readonly updatedAt: string };

interface World {
  readonly instanceId: string;
  readonly operatorIds: readonly string[];
  readonly sealedProviderConfig: unknown;
}

const phones = Array.from({ length: 160 }, (_, n) => String(5521990000001 + n));
const writers = 5;
const changesEach = 80;
const pageSize = 7;

Deno.test("a CRM that follows updatedSince through random changes, merges and erasures ends with the same set", async () => {
  await using database = await createTestDatabase();
  const world = await createWorld(database);
  const { seed } = createSeededRandom();
  const follower = new Follower(database.sql, world.instanceId);
  let isChanging = true;
  const following = (async () => {
    while (isChanging) await follower.catchUp();
  })();
  const changed = Promise.all(
    Array.from(
      { length: writers },
      (_, n) => changeContacts(database, world, createSeededRandom(seed + n)),
    ),
  ).finally(() => isChanging = false);
  const counts = await changed;
  await following;
  await waitUntil(() => isAllVisible(database.admin, world.instanceId));
  await follower.catchUp();

  const living = await readAll(database.sql, world.instanceId);
  assertEquals(follower.living(), living, `seed ${seed}`);
  const [dead] = await database.admin`
    select count(*) filter (where merged_into is not null)::integer as merged,
      count(*) filter (where erased_at is not null)::integer as erased
    from messaging.contact_activity`;
  assert(living.size > 20 && dead?.["merged"] > 0 && dead?.["erased"] > 0, Deno.inspect(dead));
  assert(counts.flat().length > writers * changesEach / 2, "too few changes were committed");
});

Deno.test("a contact that changes while its page is read leads no reader past a change under way", async () => {
  await using database = await createTestDatabase();
  const { admin, sql } = database;
  const { instanceId } = await createWorld(database);
  const save = (phone: string): Promise<{ contactId: string }> =>
    callFunction(sql, "save_contact", { instanceId, phone, fields: {}, tags: null });
  const touch = async (on: Sql, id: string): Promise<void> => {
    await on`select from messaging.touch_contacts(${[id]}::uuid[])`;
  };
  const { contactId: slowlyChanged } = await save("5521990000001");
  const { contactId: changedMeanwhile } = await save("5521990000002");
  await waitUntil(() => isAllVisible(admin, instanceId));
  const read = (updatedSince: string): Promise<{ readonly items: readonly Item[] }> =>
    callFunction(sql, "list_contacts", { instanceId, updatedSince, limit: 7, after: null });

  // Holds the list between the page that it has read and what it tells of it.
  const gate = database.connect({ max: 1, role: "superuser" });
  await gate`select pg_advisory_lock(42)`;
  await admin`alter function messaging.list_contact_ids rename to read_contact_ids`;
  await admin.unsafe(`
    create function messaging.list_contact_ids(uuid, jsonb, timestamptz, uuid, integer)
    returns jsonb language plpgsql as $$
    declare page constant jsonb := messaging.read_contact_ids($1, $2, $3, $4, $5);
    begin
      perform pg_advisory_lock_shared(42), pg_advisory_unlock_shared(42);
      return page;
    end $$`);
  const reading = read("2000-01-01T00:00:00Z");
  await waitUntil(async () => {
    const [row] = await admin`
      select count(*)::integer as waiting from pg_locks
      where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
    return row?.["waiting"] === 1;
  });
  const slow = database.connect({ max: 1, role: "superuser" });
  await slow`begin`;
  await touch(slow, slowlyChanged);
  await touch(admin, changedMeanwhile);
  await gate`select pg_advisory_unlock(42)`;
  const { items } = await reading;
  assertEquals(items.map(({ contactId }) => contactId), [slowlyChanged, changedMeanwhile]);
  await slow`commit`;
  await waitUntil(() => isAllVisible(admin, instanceId));

  const { items: changed } = await read(items.at(-1)?.updatedAt ?? "");
  assertEquals(
    new Set(changed.map(({ contactId }) => contactId)),
    new Set([slowlyChanged, changedMeanwhile]),
  );
});

/** What a CRM keeps of the contacts, by what the pages of their changes tell it. */
class Follower {
  readonly #known = new Map<string, Item>();
  #updatedSince = "2000-01-01T00:00:00Z";

  constructor(private readonly sql: Sql, private readonly instanceId: string) {}

  /** Reads pages until the last; the next time goes on from the last `updatedAt` seen. */
  async catchUp(): Promise<void> {
    const request = { instanceId: this.instanceId, updatedSince: this.#updatedSince };
    for await (const item of readPages(this.sql, request)) {
      this.#updatedSince = item.updatedAt;
      if (item["isDeleted"] === true) this.#known.delete(item.contactId);
      else this.#known.set(item.contactId, item);
    }
  }

  living(): Map<string, Json> {
    return sorted(this.#known.values());
  }
}

async function* readPages(sql: Sql, request: Json): AsyncGenerator<Item> {
  let after: unknown = null;
  do {
    const page = await callFunction<{ items: Item[]; next: unknown }>(sql, "list_contacts", {
      ...{ ...request, limit: pageSize, after },
    });
    yield* page.items;
    after = page.next;
  } while (after !== null);
}

async function readAll(sql: Sql, instanceId: string): Promise<Map<string, Json>> {
  return sorted(await Array.fromAsync(readPages(sql, { instanceId })));
}

/** By id, without the members that the clock changes and no transaction. */
function sorted(items: Iterable<Item>): Map<string, Json> {
  const stable = [...items].map(({ window: _window, aiAgentPausedUntil: _pause, ...item }) =>
    [item.contactId, item] as const
  );
  return new Map(stable.sort(([one], [other]) => one < other ? -1 : 1));
}

/** Whether no change is left that a reader may not see yet. */
async function isAllVisible(admin: Sql, instanceId: string): Promise<boolean> {
  const [row] = await admin`
    select max(updated_at) < messaging.change_horizon(${instanceId}::uuid) as is_visible
    from messaging.contact_activity`;
  return row?.["is_visible"] === true;
}

/** Changes contacts at random, some in a transaction that stays open or is rolled back. */
async function changeContacts(
  database: TestDatabase,
  world: World,
  random: SeededRandom,
): Promise<string[]> {
  // Erasures are the superuser's here, as every change of this session may be one.
  const session = database.connect({ max: 1 });
  const eraser = database.connect({ max: 1, role: "superuser" });
  const committed: string[] = [];
  for (let n = 0; n < changesEach; n += 1) {
    const [name, change] = pick(random, Object.entries(changes));
    const sql = name === "erase" ? eraser : session;
    const end = random.between(0, 1) < 0.1 ? "rollback" : "commit";
    const heldMs = random.between(0, 1) < 0.4 ? random.between(1, 60) : 0;
    await sql.unsafe("begin");
    try {
      await change(sql, world, random);
      if (heldMs > 0) await new Promise((resolve) => setTimeout(resolve, heldMs));
      await sql.unsafe(end);
      if (end === "commit") committed.push(name);
    } catch (error) {
      await sql.unsafe("rollback");
      if (!isToBeRepeated(error)) throw error;
    }
  }
  return committed;
}

/** A contact was merged or erased meanwhile, or two transactions met; the product's callers repeat. */
function isToBeRepeated(error: unknown): boolean {
  const { code } = error as { readonly code?: string };
  return ["MI055", "40P01", "23503"].includes(code ?? "");
}

type Change = (sql: Sql, world: World, random: SeededRandom) => Promise<unknown>;

const changes: Readonly<Record<string, Change>> = {
  save: (sql, world, random) =>
    callFunction(sql, "save_contact", {
      ...{ ...ofContact(world, random), tags: null },
      fields: { name: `Nome ${draw(random, 1e6)}`, isFavorite: draw(random, 2) === 1 },
    }),
  tag: (sql, world, random) =>
    callFunction(sql, "change_contact_tags", {
      ...{ ...ofContact(world, random), addTags: [`t${draw(random, 5)}`] },
      removeTags: [`t${5 + draw(random, 5)}`, `t${draw(random, 5)}x`],
    }),
  assign: (sql, world, random) =>
    callFunction(sql, "accept_message", {
      ...{ ...ofContact(world, random), message: null },
      assignment: { assignTo: pick(random, world.operatorIds), portfolio: draw(random, 2) === 1 },
      delivery: { queued: false, delaySeconds: 0, leaseSeconds: 30 },
    }),
  status: (sql, world, random) =>
    callFunction(sql, "set_conversation_status", {
      ...{ ...ofContact(world, random), status: pick(random, ["open", "closed"]) },
    }),
  write: (sql, world, random) =>
    record(sql, world, {
      ...{ kind: "message", origin: "inbound", providerMessageId: crypto.randomUUID() },
      ...{ address: pick(random, phones), otherAddresses: [], isGroup: false },
      ...{ messageType: "text", message: "oi" },
    }),
  merge: (sql, world, random) =>
    record(sql, world, {
      ...{ kind: "number_change", eventId: crypto.randomUUID() },
      ...{ oldAddress: pick(random, phones), newAddress: pick(random, phones) },
    }),
  erase: async (sql, { instanceId }, random) => {
    const [contact] = await sql<{ id: string }[]>`
      select id from messaging.contacts where phone = ${pick(random, phones)} for update`;
    if (contact === undefined) return;
    await sql`delete from messaging.messages where contact_id = ${contact.id}`;
    await sql`delete from messaging.contacts where id = ${contact.id}`;
    await sql`
      update messaging.contact_activity
      set erased_at = clock_timestamp(), last_message_at = null, awaits_reply = false,
        updated_at = greatest(updated_at, messaging.change_instant(${instanceId}::uuid))
      where contact_id = ${contact.id}`;
  },
};

function ofContact({ instanceId }: World, random: SeededRandom): Json {
  return { instanceId, phone: pick(random, phones), idempotency: null, assignment: null };
}

function record(sql: Sql, { instanceId, sealedProviderConfig }: World, event: Json): Promise<Json> {
  return callFunction(sql, "record_provider_events", {
    ...{ instanceId, sealedProviderConfig, payload: "{}", events: [event] },
  });
}

async function createWorld({ admin }: TestDatabase): Promise<World> {
  const { workspaceId, instanceId } = await createTenant(admin, { provider: "whatsapp_cloud" });
  const operators = ["ana", "bia"].map((name) =>
    createOperator(admin, workspaceId, { name, email: `${name}@example.com` })
  );
  const [instance] = await admin`
    select sealed_provider_config from messaging.instances where id = ${instanceId}`;
  return {
    instanceId,
    operatorIds: await Promise.all(operators),
    sealedProviderConfig: instance?.["sealed_provider_config"],
  };
}

function draw(random: SeededRandom, below: number): number {
  return Math.floor(random.between(0, below));
}

function pick<Value>(random: SeededRandom, values: readonly Value[]): Value {
  return values[draw(random, values.length)] as Value;
}
