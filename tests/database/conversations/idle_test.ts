/** conversation.idle: once for each silence and entry of an instance's `idle`, and for what is due alone. */

import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

type Json = Readonly<Record<string, unknown>>;

const instanceId = "00000000-0000-4000-8000-000000000001";
const phone = "5511987654321";
const idle = [
  { afterMinutes: 30, awaiting: "us" },
  { afterMinutes: 10, awaiting: "us" },
  { afterMinutes: 20, awaiting: "customer" },
];

// deno-lint-ignore explicit-function-return-type -- the object below says it
async function createWorld(entries: readonly Json[] | null = idle) {
  const database = await createTestDatabase();
  const { sql, admin } = database;
  await createTenant(admin, { instanceId });
  await admin`update messaging.instances set idle = ${
    entries === null ? null : admin.json(entries as never)
  }`;
  const [{ config }] = await admin<[{ config: string }]>`
    select sealed_provider_config as config from messaging.instances`;
  let count = 0;
  return {
    ...{ database, sql, admin },
    receive: async (address = phone) => {
      await callFunction(sql, "record_provider_events", {
        ...{ instanceId, sealedProviderConfig: config, payload: null },
        events: [{
          ...{ kind: "message", origin: "inbound", providerMessageId: `in-${++count}`, address },
          ...{ messageType: "text", message: "oi", content: null },
        }],
      });
    },
    send: async (address = phone) => {
      const { messageId, claimToken } = await callFunction<Json>(sql, "accept_message", {
        ...{ instanceId, phone: address, idempotency: null, assignment: null, agent: null },
        message: { messageType: "text", message: "Olá" },
        delivery: { queued: false, intervalSeconds: 30, delaySeconds: 0, leaseSeconds: 30 },
      });
      await callFunction(sql, "settle_messages", {
        results: [{
          ...{ messageId, claimToken, outcome: "accepted", providerMessageId: `out-${++count}` },
        }],
      });
      return messageId as string;
    },
    /** Lets so many minutes pass. */
    pass: (minutes: number) =>
      admin`update messaging.idle_watches set
        since = since - make_interval(mins => ${minutes}),
        due_at = due_at - make_interval(mins => ${minutes})`,
    tell: () =>
      callFunction<{ told: number; isComplete: boolean }>(sql, "tell_idle_conversations", {
        maxConversations: 100,
      }),
    events: async () =>
      (await admin<{ data: Json }[]>`
        select data from messaging.events where type = 'conversation.idle' order by sequence`)
        .map(({ data }) => data),
    watches: async () => [
      ...await admin<Json[]>`
        select awaiting, last_message_id as "lastMessageId" from messaging.idle_watches`,
    ],
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

Deno.test("a silence is told once for each entry that awaits who has not written, and anew after the next message", async () => {
  await using world = await createWorld();
  await world.receive();
  await world.pass(9);
  assertEquals(await world.tell(), { told: 0, isComplete: true });
  await world.pass(1);
  assertEquals((await world.tell()).told, 1);
  assertEquals((await world.tell()).told, 0);
  await world.pass(21);
  assertEquals((await world.tell()).told, 1);
  assertEquals(await world.watches(), []);
  const [row] = await world.admin<Json[]>`
    select m.id, m.contact_id, m.conversation_id from messaging.messages m`;
  const events = await world.events();
  assertEquals(
    events.map(({ since: _, ...data }) => data),
    [10, 30].map((afterMinutes) => ({
      ...{ contactId: row?.["contact_id"], conversationId: row?.["conversation_id"] },
      ...{ awaiting: "us", afterMinutes, lastMessageId: row?.["id"] },
    })),
  );
  assertEquals(typeof events[0]?.["since"], "string");
  const sent = await world.send();
  assertEquals(await world.watches(), [{ awaiting: "customer", lastMessageId: sent }]);
  await world.pass(20);
  assertEquals((await world.tell()).told, 1);
  assertEquals((await world.events()).at(-1)?.["lastMessageId"], sent);
});

Deno.test("a message begins the silence anew; two entries that are due at once are both told", async () => {
  await using world = await createWorld();
  await world.receive();
  await world.pass(8);
  await world.receive();
  await world.pass(8);
  assertEquals((await world.tell()).told, 0);
  await world.pass(40);
  assertEquals((await world.tell()).told, 2);
});

Deno.test("closing ends the watch, and what is written in a closed conversation is not told", async () => {
  await using world = await createWorld();
  await world.receive();
  await callFunction(world.sql, "set_conversation_status", {
    ...{ instanceId, phone, status: "closed", internalNote: null, idempotency: null },
  });
  assertEquals(await world.watches(), []);
  await world.send();
  await world.pass(60);
  assertEquals((await world.tell()).told, 0);
  assertEquals(await world.watches(), []);
  await world.receive();
  await world.pass(60);
  assertEquals((await world.tell()).told, 2);
});

Deno.test("a merged conversation is watched from its newest message; an erased one is not", async () => {
  for (const isNewerKept of [true, false]) {
    await using world = await createWorld();
    const [kept, gone] = ["5511900000001", "5511900000002"];
    if (isNewerKept) await world.receive(gone);
    else await world.receive(kept);
    const sent = await world.send(isNewerKept ? kept : gone);
    await world.admin`
      select messaging.merge_contacts(k, g) from messaging.contacts k, messaging.contacts g
      where k.phone = ${kept} and g.phone = ${gone}`;
    assertEquals(await world.watches(), [{ awaiting: "customer", lastMessageId: sent }]);
    await world.pass(60);
    assertEquals((await world.tell()).told, 1);
    const [contact] = await world.admin<Json[]>`
      select id from messaging.contacts where phone = ${kept}`;
    assertEquals((await world.events())[0]?.["contactId"], contact?.["id"]);
    await world.receive(kept);
    await world.admin`select messaging.bury_contacts(${instanceId}, array[${contact
      ?.["id"] as string}]::uuid[])`;
    assertEquals(await world.watches(), []);
  }
});

Deno.test("an instance without idle is watched nowhere; a changed setting tells nothing that lies before", async () => {
  await using world = await createWorld(null);
  await world.receive();
  await world.send();
  assertEquals(await world.watches(), []);
  await world.admin`update messaging.instances set idle = ${world.admin.json(idle)}`;
  await world.receive();
  await world
    .admin`update messaging.instances set idle = '[{"afterMinutes": 5, "awaiting": "us"}, {"afterMinutes": 60, "awaiting": "us"}]'`;
  await world.pass(11);
  assertEquals((await world.tell()).told, 0);
  await world.pass(50);
  assertEquals((await world.tell()).told, 1);
  await world.receive();
  await world.admin`update messaging.instances set idle = null`;
  await world.pass(100);
  assertEquals((await world.tell()).told, 0);
  assertEquals(await world.watches(), []);
});

Deno.test("ten runs at once tell each silence once", async () => {
  await using world = await createWorld([{ afterMinutes: 10, awaiting: "us" }]);
  for (let index = 0; index < 30; index++) await world.receive(`55119${10_000_000 + index}`);
  await world.pass(10);
  const runs = await Promise.all(Array.from({ length: 10 }, () => world.tell()));
  assertEquals(runs.reduce((sum, { told }) => sum + told, 0), 30);
  const events = await world.events();
  assertEquals(new Set(events.map(({ contactId }) => contactId)).size, 30);
  assertEquals(events.length, 30);
});

Deno.test("a look reads what is due alone, however many conversations are watched", async () => {
  await using database = await createTestDatabase({ own: true });
  await createTenant(database.admin, { instanceId });
  await database.admin`
    insert into messaging.idle_watches
    select gen_random_uuid(), ${instanceId}, gen_random_uuid(), 'us', now(), gen_random_uuid(),
      now() + make_interval(mins => n) from generate_series(1, 20000) n`;
  await database.admin`analyze messaging.idle_watches`;
  assertEquals(await readRows(database), 0);
  await database.admin`
    update messaging.idle_watches set due_at = now()
    where contact_id = any (array(select contact_id from messaging.idle_watches limit 3))`;
  await database.admin`vacuum messaging.idle_watches`;
  // Four of each: its index entry and its row, and both again for what becomes of it.
  assert(await readRows(database) <= 12, "more than what is due was read, or something twice");
});

/** Rows and index entries of the watches that one look reads. */
async function readRows(database: TestDatabase): Promise<number> {
  return await database.admin.begin(async (sql) => {
    await sql`select public.tell_idle_conversations('{"maxConversations": 500}'::jsonb)`;
    const [row] = await sql<{ read: string }[]>`
      select s.seq_tup_read + coalesce(s.idx_tup_fetch, 0) as read
      from pg_stat_xact_user_tables s where s.relname = 'idle_watches'`;
    return Number(row?.read ?? 0);
  }) as number;
}
