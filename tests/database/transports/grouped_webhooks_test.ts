import type { Sql } from "postgres";
import type { Database } from "../../../shared/database/database.ts";
import type { RecordEventsRequest } from "../../../shared/database/rpcs/inbound.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { callAsGroup, callSingly, type GroupOutcome } from "../../support/database/call_groups.ts";
import { type CallerView, readCallerView } from "../../support/database/caller_view.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countRowsRead } from "../../support/database/rows_read.ts";
import { countMixes, transports } from "../../support/database/transports.ts";
import { surviveBrokenWrites } from "../../support/faults/driver_faults.ts";
import { createAgent, createTenant, type Tenant } from "../../support/fixtures/tenant.ts";
import { createSeededRandom, type SeededRandom } from "../../support/seeded_random.ts";

surviveBrokenWrites();

const direct = transports[0];
assert(direct?.name === "direct");

type Event = Readonly<Record<string, unknown>>;

for (const transport of transports) {
  Deno.test(`${transport.name}: any mix of grouped webhooks stores what the same webhooks store one by one`, async () => {
    const random = createSeededRandom();
    await using database = await createTestDatabase();
    await using open = transport.open(database.url);
    for (let round = 0; round < countMixes(transport, 6); round++) {
      // A group's messages are recorded before its delivery events, the rest after them.
      const events = drawEvents(random).toSorted((one, other) => rank(one) - rank(other));
      const [grouped, single] = [
        await createSide(database.admin, round % 2 === 0),
        await createSide(database.admin, round % 2 === 0),
      ];
      const seed = `seed ${random.seed}, round ${round}`;
      const requests = events.map((event) => grouped.toRequest([event]));
      const { outcomes } = await callAsGroup(open.database, "record_provider_events", requests);
      assert(outcomes.every((outcome) => "result" in outcome), seed);
      // Two events of one webhook are recorded without the plain path. The second changes nothing.
      const expected = events.map((event) => single.toRequest([event, unknownEdit]));
      for (const outcome of await callSingly(open.database, "record_provider_events", expected)) {
        assert("result" in outcome, seed);
      }
      assertEquals(await grouped.read(), await single.read(), seed);
    }
  });

  Deno.test(`${transport.name}: a plain webhook alone is recorded as any other`, async () => {
    await using database = await createTestDatabase();
    await using open = transport.open(database.url);
    const [plain, full] = [
      await createSide(database.admin, true),
      await createSide(database.admin, true),
    ];
    for (const [place, event] of [...drawEvents(createSeededRandom()), ...plainEvents].entries()) {
      const outcomes = await Promise.all([
        callSingly(open.database, "record_provider_events", [plain.toRequest([event])]),
        callSingly(open.database, "record_provider_events", [full.toRequest([event, unknownEdit])]),
      ]);
      assertEquals(outcomes[0], outcomes[1], `event ${place}: ${JSON.stringify(event)}`);
    }
    assertEquals(await plain.read(), await full.read());
  });
}

Deno.test("messages of known and new contacts and delivery events are recorded by one call, with their payloads", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const side = await createSide(database.admin, false);
  const events = [message("in-1", 0), message("in-2", 77), message("in-3", 77), status("out-1")];
  const { outcomes, rpcNames } = await record(
    open.database,
    events.map((e) => side.toRequest([e])),
  );
  assertEquals(outcomes, Array(4).fill({ result: { recorded: 1 } }));
  assertEquals(rpcNames, ["record_provider_event_calls"]);
  assertEquals(await countRows(database.admin, "provider_events"), 4);
  const names = await database.admin`select name from messaging.contacts where phone like '%077'`;
  assertEquals(names.map(({ name }) => name), ["Pessoa 77"]);
});

Deno.test("an event that comes twice in a group counts once, and both payloads are kept", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const side = await createSide(database.admin, false);
  const request = side.toRequest([message("in-1", 0)]);
  const { outcomes, rpcNames } = await record(open.database, [request, request]);
  assertEquals(outcomes, [{ result: { recorded: 1 } }, { result: { recorded: 0 } }]);
  assertEquals(rpcNames, ["record_provider_event_calls", "record_provider_events"]);
  assertEquals(await countRows(database.admin, "provider_events"), 2);
});

Deno.test("a grouped message that answers another one names it, also where both come in one group", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const side = await createSide(database.admin, false);
  const events = [
    message("in-1", 0),
    { ...message("in-2", 1), quotedProviderMessageId: "out-1" },
    { ...message("in-3", 2), quotedProviderMessageId: "unknown" },
    { ...message("in-4", 0), quotedProviderMessageId: "in-1" },
  ];
  const { outcomes, rpcNames } = await record(
    open.database,
    events.map((e) => side.toRequest([e])),
  );
  assertEquals(outcomes, Array(4).fill({ result: { recorded: 1 } }));
  assertEquals(rpcNames, ["record_provider_event_calls", "record_provider_events"]);
  const rows = await database.admin`
    select m.provider_message_id as id, q.provider_message_id as quoted
    from messaging.messages m left join messaging.messages q on q.id = m.quoted_message_id
    where m.direction = 'inbound' order by 1`;
  assertEquals(rows.map(({ id, quoted }) => [id, quoted]), [
    ["in-1", null],
    ["in-2", "out-1"],
    ["in-3", null],
    ["in-4", "in-1"],
  ]);
});

Deno.test("a grouped message that names no other addresses is recorded", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const side = await createSide(database.admin, false);
  const events = ["in-1", "in-2"].map((id) => ({ ...message(id, 0), otherAddresses: undefined }));
  const { outcomes, rpcNames } = await record(
    open.database,
    events.map((e) => side.toRequest([e])),
  );
  assertEquals(outcomes, Array(2).fill({ result: { recorded: 1 } }));
  assertEquals(rpcNames, ["record_provider_event_calls"]);
});

Deno.test("two webhooks of a group that show different addresses of a new person make one contact", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const side = await createSide(database.admin, false);
  const hidden = "99887766554433@lid";
  const both = { ...message("in-2", 50), otherAddresses: [hidden] };
  const events = [{ ...message("in-1", 50), address: hidden }, both, message("in-3", 50)];
  const { outcomes } = await record(open.database, events.map((event) => side.toRequest([event])));
  assertEquals(outcomes, Array(3).fill({ result: { recorded: 1 } }));
  const owners = await database.admin`
    select distinct contact_id from messaging.messages where direction = 'inbound'`;
  assertEquals(owners.length, 1);
});

Deno.test("two webhooks of a group that show new phones of one hidden address make one contact, as one by one", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const side = await createSide(database.admin, false);
  const shown = { otherAddresses: ["99887766554433@lid"] };
  const events = [{ ...message("in-1", 50), ...shown }, { ...message("in-2", 51), ...shown }];
  const { outcomes } = await record(open.database, events.map((event) => side.toRequest([event])));
  assertEquals(outcomes, Array(2).fill({ result: { recorded: 1 } }));
  const owners = await database.admin`
    select distinct contact_id from messaging.messages where direction = 'inbound'`;
  assertEquals(owners.length, 1);
});

Deno.test("a webhook that was checked against replaced credentials is told so, and its group is recorded", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const side = await createSide(database.admin, false);
  const old = { ...side.toRequest([message("in-1", 0)]), sealedProviderConfig: "former" };
  const { outcomes } = await record(open.database, [old, side.toRequest([message("in-2", 1)])]);
  assertEquals(outcomes, [{ result: { recorded: null } }, { result: { recorded: 1 } }]);
  assertEquals(await countRows(database.admin, "provider_events"), 1);
});

Deno.test("a webhook that fails rolls its group back, and fails alone", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const side = await createSide(database.admin, false);
  const bad = { ...message("in-2", 1), sentAt: "no instant" };
  const requests = [message("in-1", 0), bad, message("in-3", 2)].map((e) => side.toRequest([e]));
  const { outcomes } = await record(open.database, requests);
  assertEquals(outcomes, [
    { result: { recorded: 1 } },
    { defect: "22007" },
    { result: { recorded: 1 } },
  ]);
  assertEquals(await countRows(database.admin, "provider_events"), 2);
});

Deno.test("a group whose connection is lost after it was recorded fails, and its repetition counts nothing twice", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const side = await createSide(database.admin, false);
  const requests = [message("in-1", 0), message("in-2", 1)].map((e) => side.toRequest([e]));
  const losing: Database = {
    rpc: async (name, request) => {
      await open.database.rpc(name, request);
      throw new AppError("service_unavailable");
    },
    close: () => Promise.resolve(),
  };
  const lost = await record(losing, requests);
  assertEquals(lost.outcomes, Array(2).fill({ refusal: "service_unavailable" }));
  assertEquals(lost.rpcNames, ["record_provider_event_calls"]);
  const { outcomes } = await record(open.database, requests);
  assertEquals(outcomes, Array(2).fill({ result: { recorded: 0 } }));
});

Deno.test("webhooks with several events and long payloads join no group", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const side = await createSide(database.admin, false);
  const long = { ...side.toRequest([message("in-1", 0)]), payload: "x".repeat(100_000) };
  const requests = [side.toRequest([message("in-2", 0), message("in-3", 1)]), long];
  const { rpcNames } = await record(open.database, requests);
  assertEquals(rpcNames, Array(2).fill("record_provider_events"));
});

Deno.test("a plain webhook reads no more rows where its instance has a thousand contacts with messages", async () => {
  // Its own: statistics that a former test left would let sessions check foreign keys by reading tables.
  await using database = await createTestDatabase({ own: true });
  const side = await createSide(database.admin, false);
  const measure = (place: number): Promise<number> =>
    countRowsRead(database.admin, async (sql) => {
      const calls = [message(`m-${place}`, 0), message(`n-${place}`, 9_999), status("out-2")]
        .concat({ ...message(`q-${place}`, 1), quotedProviderMessageId: "out-1" })
        .map((event) => side.toRequest([event]));
      const { results } = await callFunction<{ results: unknown[] }>(
        ...[sql, "record_provider_event_calls", { calls }] as const,
      );
      assertEquals(results, Array(4).fill({ recorded: 1 }));
    });
  await measure(1);
  const few = await measure(2);
  for (let first = 100; first < 1_100; first += 100) {
    const calls = Array.from(
      { length: 100 },
      (_, place) => side.toRequest([message(`more-${first + place}`, first + place)]),
    );
    await callFunction(database.admin, "record_provider_event_calls", { calls });
  }
  const many = await measure(3);
  // A plan that reads the instance once reads a thousand more.
  assert(many <= few + 250, `${few} rows, then ${many}`);
});

function record(
  database: Database,
  requests: readonly RecordEventsRequest[],
): Promise<GroupOutcome> {
  return callAsGroup(database, "record_provider_events", requests);
}

const unknownEdit: Event = { kind: "message_edit", providerMessageId: "nobody's", message: "x" };

/** A message of the person with this number. Persons 0 to 4 are known by their phones. */
function message(providerMessageId: string, person: number): Event {
  return {
    ...{ kind: "message", origin: "inbound", providerMessageId, otherAddresses: [] },
    address: phoneOf(person),
    ...{ contactName: `Pessoa ${person}`, messageType: "text", message: providerMessageId },
    ...{ sentAt: `2026-01-0${1 + person % 9}T12:00:00Z`, isGroup: false, chatName: "Conversa" },
  };
}

function status(providerMessageId: string, word = "delivered"): Event {
  return { kind: "status", providerMessageId, status: word, at: "2026-01-02T12:00:00Z" };
}

function phoneOf(person: number): string {
  return String(5_521_990_000_000 + person);
}

/** A voice message whose words the provider has written down. */
const voice: Event = {
  ...{ messageType: "audio", message: null },
  file: { source: { id: "v" }, mimeType: "audio/ogg", filename: "v.ogg", transcript: "alô" },
};

/** One of each plain kind, whatever chance draws. */
const plainEvents: readonly Event[] = [
  message("plain-1", 0),
  message("plain-2", 200),
  { ...message("plain-3", 201), isGroup: true, author: { name: "Bia", phone: phoneOf(7) } },
  { ...message("plain-4", 0), quotedProviderMessageId: "not stored" },
  { ...message("plain-5", 0), ...voice },
  status("out-0", "sent"),
  status("out-0", "delivered"),
  status("out-0", "read"),
];

/**
 * Events of few persons and messages, so that they meet in one group. The group's calls have no order,
 * so the result must not depend on one: what the plain path leaves has persons and messages of its own.
 */
function drawEvents(random: SeededRandom): Event[] {
  const pick = (count: number): number => Math.floor(random.between(0, count));
  const chance = (share: number): boolean => random.between(0, 1) < share;
  const words = ["sent", "delivered", "read"];
  // An id that comes again is the same person's: which of two persons' would be stored, nobody promises.
  const persons = new Map<string, number>();
  // Which of two delivery events of one message comes first decides whether the other is news.
  const told = [words[pick(3)], words[pick(3)], words[pick(3)]];
  // A group tells all messages of a person with what one of them brings: each has the same to bring.
  const shown = Array.from({ length: 8 }, (_, person): Event => ({
    ...(chance(0.3) ? { otherAddresses: [`${1_000_000 + person}@lid`] } : {}),
    ...(chance(0.2) ? { contactName: null } : {}),
  }));
  return Array.from({ length: 2 + pick(20) }, (_, place): Event => {
    const id = chance(0.85) ? `in-${place}` : `in-${pick(place + 1)}`;
    const person = persons.get(id) ?? pick(8);
    persons.set(id, person);
    const drawn = pick(10);
    const own = message(`own-${place}`, 10 + place);
    if (drawn < 2) return status(`out-${place % 3}`, told[place % 3]);
    if (drawn === 2) return status(`out-${3 + pick(4)}`, "failed");
    if (drawn === 3) return { ...own, isEdit: true };
    if (drawn === 4) return { ...own, origin: "echo", mayBeOurs: chance(0.5) };
    return {
      ...message(id, person),
      ...shown[person],
      ...(chance(0.1) ? { isReaction: true } : {}),
      ...(chance(0.2) ? { quotedProviderMessageId: `out-${pick(6)}` } : {}),
      ...(chance(0.1) ? { isGroup: true, author: { name: "Bia", lid: "99@lid" } } : {}),
      ...(chance(0.1) ? voice : {}),
      ...(chance(0.1) ? { messageType: "image", content: { mediaId: "1" } } : {}),
    };
  });
}

function rank({ kind, status, isEdit, origin }: Event): number {
  if (kind === "status") return status === "failed" ? 2 : 1;
  return isEdit === true || origin === "echo" ? 2 : 0;
}

interface Side {
  readonly tenant: Tenant;
  toRequest(events: readonly Event[]): RecordEventsRequest;
  read(): Promise<CallerView>;
}

/** A tenant with five known persons, each of whom was sent a message that the provider accepted. */
async function createSide(admin: Sql, hasAgent: boolean): Promise<Side> {
  const tenant = await createTenant(admin);
  const { instanceId } = tenant;
  if (hasAgent) await createAgent(admin, tenant.instanceId);
  for (let person = 0; person < 5; person++) {
    const { messageId, claimToken } = await callFunction<Record<string, string>>(
      admin,
      "accept_message",
      {
        ...{ instanceId, idempotency: null, assignment: null, agent: null },
        ...{ phone: phoneOf(person), message: { messageType: "text", message: `m${person}` } },
        delivery: { queued: false, intervalSeconds: 0, delaySeconds: 0, leaseSeconds: 3_600 },
      },
    );
    // The last one is still in flight.
    if (person === 4) continue;
    await callFunction(admin, "settle_messages", {
      results: [{
        ...{ messageId, claimToken, outcome: "accepted", providerMessageId: `out-${person}` },
      }],
    });
  }
  await admin`
    update messaging.conversations set status = 'closed'
    where contact_id in (
      select id from messaging.contacts
      where instance_id = ${instanceId} and phone = ${phoneOf(3)}
    )`;
  const [row] = await admin<{ sealed: string }[]>`
    select sealed_provider_config as sealed from messaging.instances where id = ${instanceId}`;
  const sealedProviderConfig = row?.sealed ?? "";
  return {
    tenant,
    toRequest: (events) => ({
      ...{ instanceId, sealedProviderConfig, payload: JSON.stringify(events[0]), events },
    }),
    read: () => readCallerView(admin, instanceId),
  };
}

async function countRows(admin: Sql, table: string): Promise<number> {
  const [row] = await admin`select count(*)::integer as rows from messaging.${admin(table)}`;
  return row?.["rows"];
}
