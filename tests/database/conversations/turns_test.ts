/** conversation.turn: every inbound message in exactly one turn, in order, by the clock of arrival. */

import { assert, assertEquals, assertObjectMatch } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

type Json = Readonly<Record<string, unknown>>;

interface Turn {
  readonly contactId: string;
  readonly conversationId: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly messages: readonly Json[];
  readonly isTruncated?: true;
}

const instanceId = "00000000-0000-4000-8000-000000000001";
const phone = "5511987654321";

// deno-lint-ignore explicit-function-return-type -- the object below says it
async function createWorld(turns: Json | null = { quietSeconds: 40, maxSeconds: 100 }) {
  const database = await createTestDatabase();
  const { sql, admin } = database;
  await createTenant(admin, { instanceId });
  const set = (value: Json | null) =>
    admin`update messaging.instances set turns = ${
      value === null ? null : admin.json(value as never)
    }`;
  await set(turns);
  const [{ config }] = await admin<[{ config: string }]>`
    select sealed_provider_config as config from messaging.instances`;
  let count = 0;
  return {
    ...{ sql, admin, set },
    /** Delivers these messages in one webhook, or one after the other. */
    receive: async (words: string | readonly Json[], address = phone) => {
      const events = typeof words === "string" ? [{ message: words }] : words;
      await callFunction(sql, "record_provider_events", {
        ...{ instanceId, sealedProviderConfig: config, payload: null },
        events: events.map((event) => ({
          ...{ kind: "message", origin: "inbound", providerMessageId: `in-${++count}`, address },
          ...{ messageType: "text", content: null },
          ...event,
        })),
      });
    },
    type: (address = phone, sealedProviderConfig = config) =>
      callFunction<{ recorded: number | null }>(sql, "note_typing", {
        ...{ instanceId, sealedProviderConfig, addresses: [address] },
      }),
    /** Lets so many seconds pass. */
    pass: async (seconds: number) => {
      const by = admin`make_interval(secs => ${seconds})`;
      await admin`update messaging.conversation_turns set
        started_at = started_at - ${by}, due_at = due_at - ${by}, ends_by = ends_by - ${by}`;
      await admin`update messaging.messages set created_at = created_at - ${by}`;
      await admin`update messaging.outbox set run_at = run_at - ${by} where status = 'pending'`;
    },
    end: () =>
      callFunction<{ ended: number; isComplete: boolean }>(sql, "end_turns", { maxTurns: 50 }),
    turns: async () =>
      (await admin<{ data: Turn }[]>`
        select data from messaging.events where type = 'conversation.turn' order by sequence`)
        .map(({ data }) => data),
    words: async () =>
      (await admin<{ words: string[] }[]>`
        select array(
          select m.message from jsonb_array_elements(e.data->'messages') with ordinality as t(r, place)
          join messaging.messages m on m.id = (t.r->>'messageId')::uuid order by t.place
        ) as words
        from messaging.events e where e.type = 'conversation.turn' order by e.sequence`)
        .map(({ words }) => words.join(" ")),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

Deno.test("five messages in a row are one turn, which ends when the person was quiet", async () => {
  await using world = await createWorld();
  for (const word of ["a", "b", "c", "d", "e"]) {
    await world.receive(word);
    await world.pass(5);
  }
  await world.pass(30);
  assertEquals(await world.end(), { ended: 0, isComplete: true });
  await world.pass(5);
  assertEquals(await world.end(), { ended: 1, isComplete: true });
  assertEquals(await world.end(), { ended: 0, isComplete: true });
  const [turn] = await world.turns();
  assertEquals(turn!.messages.map(({ message }) => message), ["a", "b", "c", "d", "e"]);
  const [stored] = await world.admin<Json[]>`
    select contact_id, conversation_id from messaging.messages limit 1`;
  assertEquals(turn!.contactId, stored!["contact_id"]);
  assertEquals(turn!.conversationId, stored!["conversation_id"]);
  assertEquals(turn!.messages[0]!["contact"] === undefined, false);
  assertEquals(Date.parse(turn!.startedAt) < Date.parse(turn!.endedAt), true);
  const told = await world.admin`select from messaging.events where type = 'message.received'`;
  assertEquals(told.length, 5);
});

Deno.test("a turn ends maxSeconds after its first message, and the next message begins another", async () => {
  await using world = await createWorld();
  for (let second = 0; second < 120; second += 20) {
    await world.receive(`${second}`);
    await world.pass(20);
  }
  await world.pass(40);
  await world.end();
  assertEquals(await world.words(), ["0 20 40 60 80", "100"]);
});

Deno.test("a message that comes after the end of a turn begins the next one, though no dispatcher has looked", async () => {
  await using world = await createWorld();
  await world.receive("a");
  await world.pass(45);
  await world.receive("b");
  assertEquals(await world.words(), ["a"]);
  const [turn] = await world.turns();
  const [due] = await world.admin<{ seconds: number }[]>`
    select extract(epoch from ${turn!.endedAt}::timestamptz - ${
    turn!.startedAt
  }::timestamptz)::float8
      as seconds`;
  assertEquals(Math.round(due!.seconds), 40);
  await world.pass(45);
  await world.end();
  assertEquals(await world.words(), ["a", "b"]);
});

Deno.test("the fifty-first message begins the next turn, in one webhook too", async () => {
  await using world = await createWorld({ quietSeconds: 60, maxSeconds: 300 });
  await world.receive(Array.from({ length: 51 }, (_, place) => ({ message: `m${place}` })));
  assertEquals((await world.words()).map((words) => words.split(" ").length), [50]);
  await world.pass(60);
  await world.end();
  assertEquals(
    (await world.words()).join(" "),
    Array.from({ length: 51 }, (_, i) => `m${i}`).join(" "),
  );
});

Deno.test("turns go by the clock of arrival; a reaction is in none, and no turn begins without the setting", async () => {
  await using world = await createWorld();
  await world.receive([{ message: "second", sentAt: "2026-11-29T10:00:05Z" }]);
  await world.receive([{ message: "first", sentAt: "2026-11-29T10:00:00Z" }]);
  await world.receive([{ message: "👍", messageType: "reaction" }]);
  await world.set(null);
  await world.receive("alone");
  await world.pass(40);
  await world.end();
  await world.receive("later");
  await world.pass(60);
  assertEquals(await world.end(), { ended: 0, isComplete: true });
  assertEquals(await world.words(), ["second first"]);
});

Deno.test("a changed setting counts from the next turn on", async () => {
  await using world = await createWorld();
  await world.receive("a");
  await world.set({ quietSeconds: 10, maxSeconds: 25 });
  await world.pass(20);
  await world.receive("b");
  await world.pass(35);
  assertEquals((await world.end()).ended, 0);
  await world.pass(5);
  assertEquals((await world.end()).ended, 1);
  await world.receive("c");
  await world.pass(10);
  assertEquals((await world.end()).ended, 1);
  assertEquals(await world.words(), ["a b", "c"]);
});

Deno.test("a turn's event stays below 20,000 bytes: what is too long has its id alone, and stands in its place", async () => {
  await using world = await createWorld();
  const long = "ã".repeat(3_000);
  await world.receive([
    ...Array.from({ length: 5 }, () => ({ message: long })),
    ...Array.from({ length: 45 }, () => ({ message: "oi" })),
  ]);
  await world.pass(100);
  await world.end();
  const [turn] = await world.turns();
  assertEquals(turn!.isTruncated, true);
  assertEquals(turn!.messages.length, 50);
  const stored = await world.admin<{ id: string }[]>`
    select id from messaging.messages order by created_at`;
  assertEquals(turn!.messages.map(({ messageId }) => messageId), stored.map(({ id }) => id));
  assert(new TextEncoder().encode(JSON.stringify(turn)).length < 20_000);
  assert(turn!.messages.some((record) => record["message"] === long));
  assert(turn!.messages.some((record) => Object.keys(record).length === 1));
});

Deno.test("the agent answers a turn once, when it ends", async () => {
  await using world = await createWorld();
  await world
    .admin`insert into messaging.ai_agents (instance_id, name, instructions, model, is_active)
    values (${instanceId}, 'Ana', 'Be kind.', 'm', true)`;
  const waits = async (): Promise<Json[]> => [
    ...await world.admin<Json[]>`
      select extract(epoch from o.run_at - min(m.created_at))::integer as "afterFirst",
        extract(epoch from o.run_at - max(m.created_at))::integer as "afterLast"
      from messaging.outbox o, messaging.messages m
      where o.kind = 'agent_reply' group by o.id`,
  ];
  for (let place = 0; place < 5; place++) {
    await world.receive("oi");
    await world.pass(0.1);
  }
  assertObjectMatch({ waits: await waits() }, { waits: [{ afterLast: 40 }] });
  await world.pass(35);
  await world.receive("oi");
  assertObjectMatch({ waits: await waits() }, { waits: [{ afterLast: 40 }] });
  await world.pass(35);
  await world.receive("oi");
  assertObjectMatch({ waits: await waits() }, { waits: [{ afterFirst: 100 }] });
  await world.pass(35);
  assertEquals((await world.end()).ended, 1);
  assertEquals((await world.turns())[0]!.messages.length, 7);
});

Deno.test("typing restarts the quiet time within maxSeconds, lets the agent wait, and neither begins nor revives a turn", async () => {
  await using world = await createWorld();
  await world
    .admin`insert into messaging.ai_agents (instance_id, name, instructions, model, is_active)
    values (${instanceId}, 'Ana', 'Be kind.', 'm', true)`;
  assertEquals(await world.type(), { recorded: 0 });
  await world.receive("a");
  for (const [seconds, expected] of [[25, 1], [25, 1], [25, 1], [15, 0]] as const) {
    await world.pass(seconds);
    assertEquals((await world.end()).ended, 0);
    assertEquals((await world.type()).recorded, expected);
    const [row] = await world.admin<{ same: boolean }[]>`
      select t.due_at = o.run_at as same
      from messaging.conversation_turns t, messaging.outbox o where o.kind = 'agent_reply'`;
    assertEquals(row!.same, true);
  }
  await world.pass(10);
  assertEquals(await world.type(), { recorded: 0 });
  assertEquals((await world.end()).ended, 1);
  assertEquals(await world.type(), { recorded: 0 });
  await world.receive("b");
  assertEquals(await world.type(phone, "other"), { recorded: null });
  assertEquals(await world.type("5511900000009"), { recorded: 0 });
  await world.set(null);
  assertEquals(await world.type(), { recorded: 0 });
  assertEquals((await world.admin`select from messaging.provider_events`).length, 0);
});

Deno.test("simultaneous deliveries beside a dispatcher: every message is in exactly one turn, in order", async () => {
  await using world = await createWorld({ quietSeconds: 2, maxSeconds: 5 });
  for (let round = 0; round < 15; round++) {
    await Promise.all([
      ...Array.from({ length: 4 }, (_, place) => world.receive(`${round}-${place}`)),
      ...[world.end(), world.end(), world.pass(round % 3)],
      world.receive(`${round}`, "5511900000002"),
    ]);
  }
  await world.pass(300);
  await world.end();
  const turns = await world.turns();
  const told = turns.flatMap(({ messages }) => messages.map(({ messageId }) => messageId));
  assertEquals(told.length, 75);
  const stored = await world.admin<{ id: string; contact: string }[]>`
    select id, contact_id as contact from messaging.messages order by created_at, id`;
  for (const contact of new Set(stored.map(({ contact }) => contact))) {
    assertEquals(
      turns.filter(({ contactId }) => contactId === contact)
        .flatMap(({ messages }) => messages.map(({ messageId }) => messageId)),
      stored.filter((row) => row.contact === contact).map(({ id }) => id),
    );
  }
  assertEquals(new Set(told).size, 75);
});

Deno.test("two merged contacts have one turn, an erased one has none", async () => {
  await using world = await createWorld();
  const [kept, gone] = ["5511900000001", "5511900000002"];
  await world.receive("a", gone);
  await world.receive("b", kept);
  await world.pass(1);
  await world.receive("c", gone);
  await world.admin`
    select messaging.merge_contacts(k, g) from messaging.contacts k, messaging.contacts g
    where k.phone = ${kept} and g.phone = ${gone}`;
  await world.receive("d", gone);
  await world.pass(40);
  assertEquals((await world.end()).ended, 1);
  assertEquals(await world.words(), ["a b c d"]);
  const [contact] = await world.admin<{ id: string }[]>`
    select id from messaging.contacts where phone = ${kept}`;
  assertEquals((await world.turns())[0]!.contactId, contact!.id);
  await world.receive("e", kept);
  await world.admin`select messaging.bury_contacts(${instanceId}, array[${contact!.id}]::uuid[])`;
  await world.pass(40);
  assertEquals((await world.end()).ended, 0);
});

Deno.test("the agent's answer waits for the end of the turn of two merged contacts", async () => {
  const [kept, gone] = ["5511900000001", "5511900000002"];
  for (const [first, second] of [[kept, gone], [gone, kept]] as const) {
    await using world = await createWorld();
    await world
      .admin`insert into messaging.ai_agents (instance_id, name, instructions, model, is_active)
      values (${instanceId}, 'Ana', 'Be kind.', 'm', true)`;
    await world.receive("a", first);
    await world.pass(30);
    await world.receive("b", second);
    await world.admin`
      select messaging.merge_contacts(k, g) from messaging.contacts k, messaging.contacts g
      where k.phone = ${kept} and g.phone = ${gone}`;
    const rows = await world.admin<{ waits: boolean }[]>`
      select o.run_at = t.due_at as waits
      from messaging.outbox o, messaging.conversation_turns t
      where o.kind = 'agent_reply' and o.conversation_id = t.conversation_id`;
    assert(rows.length > 0);
    assert(rows.every(({ waits }) => waits), `${first} wrote first`);
  }
});

Deno.test("a turn that was ended and not committed is told by the next run, once", async () => {
  await using world = await createWorld();
  await world.receive("a");
  await world.pass(40);
  await world.sql.begin(async (sql) => {
    await sql`select public.end_turns('{"maxTurns": 50}')`;
    throw new Error("killed");
  }).catch(() => {});
  assertEquals(await world.words(), []);
  assertEquals((await world.end()).ended, 1);
  assertEquals(await world.words(), ["a"]);
});

Deno.test("two hundred messages at random times have the turns that the rules say", async () => {
  await using world = await createWorld({ quietSeconds: 4, maxSeconds: 10 });
  let seed = 7;
  const draw = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let place = 0; place < 200; place++) {
    await world.pass(draw(6) + 0.5);
    if (draw(3) === 0) await world.end();
    await world.receive(`${place}`);
  }
  await world.pass(10);
  await world.end();
  // By the stored instants: how long a call takes on this machine does not matter.
  const stored = await world.admin<{ message: string; at: number }[]>`
    select message, (extract(epoch from created_at) * 1000000)::float8 as at
    from messaging.messages order by created_at`;
  const expected: string[][] = [];
  let dueAt = 0;
  let endsBy = 0;
  for (const { message, at } of stored) {
    if (at >= dueAt) {
      expected.push([]);
      endsBy = at + 10_000_000;
    }
    expected.at(-1)!.push(message);
    dueAt = Math.min(endsBy, at + 4_000_000);
  }
  assertEquals(stored.length, 200);
  assert(expected.length > 20 && expected.length < 150);
  assertEquals(await world.words(), expected.map((words) => words.join(" ")));
});
