import type { Sql } from "postgres";
import { assertEquals, assertGreater, assertLess, assertRejects } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callAndCountPages } from "../../support/database/pages_read.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const phone = "5511988887777";

interface Read {
  readonly contact: { readonly phone: string } | null;
  readonly messages: readonly { readonly message: string; readonly sentAtMs: number }[];
  readonly hasMore: boolean;
}

/** A tenant whose contacts have one message a minute each, stored in the order of their instants. */
async function createHistory(
  { admin }: TestDatabase,
  { contacts, messagesEach, isWide = false }: {
    readonly contacts: number;
    readonly messagesEach: number;
    /** Whether messages are long, so that few fit on a page. */
    readonly isWide?: boolean;
  },
): Promise<string> {
  const { instanceId } = await createTenant(admin);
  const tail = isWide ? " ".repeat(1_500) : "";
  await admin`
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    select ${instanceId}, digits, digits, 'api'
    from (select (${phone}::bigint + n)::text as digits
      from generate_series(0, ${contacts - 1}::integer) as n) as phones`;
  await admin`
    insert into messaging.conversations (instance_id, contact_id)
    select instance_id, id from messaging.contacts where instance_id = ${instanceId}`;
  await admin.begin(async (transaction) => {
    // The rows are consistent: without the checks of their keys.
    await transaction`set local session_replication_role = replica`;
    await transaction`
      insert into messaging.messages (
        instance_id, contact_id, conversation_id, direction, message_type, message, status, sent_at
      )
      select c.instance_id, c.contact_id, c.id, 'inbound', 'text', n || ${tail}::text,
        'received',
        timestamptz '2026-03-10 12:00:00.5Z' + n * interval '1 minute'
      from generate_series(1, ${messagesEach}::integer) as n
      cross join messaging.conversations c
      where c.instance_id = ${instanceId}`;
  });
  await admin`analyze messaging.messages`;
  return instanceId;
}

function createRequest(instanceId: string, limit = 100): string {
  const startsAt = Date.parse("2026-03-01T00:00:00Z") / 1_000;
  const endsAt = Date.parse("2026-04-01T00:00:00Z") / 1_000;
  return JSON.stringify({ instanceId, phone, startsAt, endsAt, limit });
}

async function readHistory(sql: Sql, request: string): Promise<Read> {
  const [row] = await sql<{ history: Read }[]>`
    select public.read_history(${request}::text::jsonb) as history`;
  return row?.history ?? { contact: null, messages: [], hasMore: false };
}

/** Counts the pages that a read touches, cached or not. */
async function countPages(sql: Sql, request: string): Promise<number> {
  // A connection's first calls also read the catalogue, and plan.
  for (let call = 0; call < 8; call += 1) await readHistory(sql, request);
  return await callAndCountPages(sql, "read_history", JSON.parse(request));
}

Deno.test("read_history touches no more pages when other contacts have more messages", async () => {
  await using alone = await createTestDatabase({ own: true });
  await using crowded = await createTestDatabase({ own: true });
  const few = await createHistory(alone, { contacts: 1, messagesEach: 300 });
  const many = await createHistory(crowded, { contacts: 100, messagesEach: 300 });
  const pages = await countPages(alone.connect({ max: 1 }), createRequest(few));
  const crowdedPages = await countPages(crowded.connect({ max: 1 }), createRequest(many));
  assertGreater(pages, 0);
  // In the worst case each of the 101 newest messages is on its own page, and some are looked at for the
  // order within their second too; 30,000 fill over 600 pages.
  assertLess(crowdedPages, pages + 200);
});

Deno.test("read_history reads no further back than the limit, however many messages a contact has", async () => {
  await using database = await createTestDatabase({ own: true });
  // With several instances the planner underestimates the messages of a contact by far.
  for (let tenant = 1; tenant < 12; tenant += 1) {
    await createHistory(database, { contacts: 4, messagesEach: 400, isWide: true });
  }
  const history = { contacts: 4, messagesEach: 400, isWide: true };
  const instanceId = await createHistory(database, history);
  const pages = await countPages(database.connect({ max: 1 }), createRequest(instanceId, 50));
  // In the worst case each of the 51 rows is on its own page; all 400 are on about 300.
  assertGreater(pages, 0);
  assertLess(pages, 100);
});

Deno.test("read_history returns the newest messages of the period, oldest first, in Unix milliseconds", async () => {
  await using database = await createTestDatabase();
  const instanceId = await createHistory(database, { contacts: 2, messagesEach: 5 });
  const read = await readHistory(database.sql, createRequest(instanceId, 3));
  assertEquals(read.messages.map(({ message }) => message), ["3", "4", "5"]);
  assertEquals(read.messages[0]?.sentAtMs, Date.parse("2026-03-10T12:03:00.500Z"));
  assertEquals([read.hasMore, read.contact?.phone], [true, phone]);
});

Deno.test("read_history works in a read-only transaction, for a known and an unknown phone", async () => {
  await using database = await createTestDatabase();
  const instanceId = await createHistory(database, { contacts: 1, messagesEach: 1 });
  const unknown = createRequest(instanceId).replace(phone, "5511900000000");
  await database.sql.begin("read only", async (sql) => {
    const request = createRequest(instanceId);
    const rows = await sql`
      select public.read_history(${request}::text::jsonb)->'hasMore' as known,
        public.read_history(${unknown}::text::jsonb) as unknown`;
    assertEquals({ ...rows[0] }, {
      known: false,
      unknown: { contact: null, messages: [], hasMore: false },
    });
  });
});

Deno.test("an option without a title is rejected, because it could not be rendered", async () => {
  await using database = await createTestDatabase();
  await createHistory(database, { contacts: 1, messagesEach: 1 });
  const choose = (choice: unknown): Promise<unknown> =>
    database.admin`
      update messaging.messages set message_type = 'option_list',
        content = ${database.admin.json({ choice } as never)}`.execute();
  for (const choice of [{ id: "1" }, { title: null }, { title: 5 }, "Tarde", []]) {
    await assertRejects(() => choose(choice), Error, "messages_state");
  }
  await choose({ id: "1", title: "Tarde" });
});

Deno.test("messages of one second are paged in the order in which they are shown", async () => {
  await using database = await createTestDatabase();
  const instanceId = await createHistory(database, { contacts: 1, messagesEach: 2 });
  const [reply] = await database.admin`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, status, sent_at,
      created_at
    )
    select instance_id, contact_id, conversation_id, 'inbound', 'text', 'reply', 'received',
      date_trunc('second', sent_at), created_at + interval '1 second'
    from messaging.messages where message = '2'
    returning id`;
  await database.admin`
    update messaging.messages set direction = 'outbound', status = 'sent' where message = '2'`;
  assertEquals(typeof reply?.["id"], "string");
  const read = async (limit: number): Promise<unknown> => {
    const { messages, hasMore } = await readHistory(
      database.sql,
      createRequest(instanceId, limit),
    );
    return [messages.map(({ message }) => message), hasMore];
  };
  assertEquals(await read(3), [["1", "2", "reply"], false]);
  assertEquals(await read(2), [["2", "reply"], true]);
  assertEquals(await read(1), [["reply"], true]);
});
