/**
 * What messages-api answers of a message is what every other reading of it tells: its members come from the
 * record's schema, and each has a value here that a path which forgets it would not tell.
 */

import type { Sql } from "postgres";
import { formatRawMessages } from "../../../functions/messages-context/raw_messages.ts";
import type { History } from "../../../shared/database/rpcs/history.ts";
import { messageRecordFields } from "../../../shared/model/message_record.ts";
import { receivedPartNames } from "../../../shared/model/received_parts.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import {
  createFilledRows,
  type FilledRows,
  type Values,
} from "../../support/fixtures/filled_rows.ts";
import { oneOfEachType } from "../../support/fixtures/one_of_each_type.ts";
import { writeInstantsInUtc } from "../../support/instants_in_utc.ts";

type Members = Readonly<Record<string, unknown>>;

interface World extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly rows: FilledRows;
  readonly records: readonly Members[];
}

/** Messages that between them have every member of a record. */
async function createWorld(): Promise<World> {
  const database = await createTestDatabase();
  const rows = await createFilledRows(database.admin);
  await addQuestion(database.admin, rows);
  const ids: string[] = [];
  for (const values of listMessages()) ids.push(await rows.addMessage(values));
  await holdInstance(database.admin);
  const records: Members[] = [];
  for (const messageId of ids) {
    records.push(await call({ database, rows }, "get_message", { messageId }));
  }
  return { database, rows, records, [Symbol.asyncDispose]: () => database.drop() };
}

const questionId = crypto.randomUUID();

/** The question of the message that asks one. */
async function addQuestion(admin: Sql, { tenant, contactId }: FilledRows): Promise<void> {
  await admin`
    insert into messaging.questions (
      id, instance_id, contact_id, message_id, accept, answer_within, status, created_at, ended_at, reason
    ) values (
      ${questionId}, ${tenant.instanceId}, ${contactId}, ${crypto.randomUUID()}, 'text', '1 hour',
      'canceled', now(), now(), 'canceled'
    )`;
}

const whatHolds = ["heldBy", "holdReason", "holdCode", "heldUntil", "scheduledFor"];

/** What waits tells what holds it. */
async function holdInstance(admin: Sql): Promise<void> {
  await admin`
    update messaging.dispatch set hold_until = now() + interval '1 hour', hold_error = '{"code": "190"}'`;
  await admin`
    insert into messaging.message_queue (message_id, instance_id, lane, scheduled_at, interval_seconds)
    select id, instance_id, 'paced', now(), 30 from messaging.messages where status = 'queued'`;
}

function listMessages(): Values[] {
  const statuses = ["sent", "delivered", "read", "failed", "canceled", "unconfirmed", "expired"];
  const withoutFile = { media_id: null };
  return [
    ...statuses.map((status) => ({ status })),
    { status: "queued", held_by: "window" },
    { direction: "inbound", status: "received" },
    { question_id: questionId },
    ...Object.values(oneOfEachType).map(({ messageType, message = null, ...content }: Members) => ({
      ...{ ...withoutFile, message_type: messageType, message },
      content: Object.keys(content).length === 0 ? null : content,
    })),
    ...receivedPartNames.map((name) => ({
      ...{ ...withoutFile, direction: "inbound", status: "received" },
      ...{ message_type: name === "choice" ? name : "text" },
      content: { [name]: { title: `a ${name}` } },
    })),
    // What the API sent and what its rows keep of that, unlike what a person wrote.
    {
      ...{ ...withoutFile, is_typed_on_phone: false },
      content: {
        ...{ mediaUrl: "https://a.example.com/b.jpg", mediaFilename: "b.jpg" },
        ...{ linkPreview: true, reduced: [{ part: "header", to: "text" }] },
      },
    },
  ];
}

async function call<Answer>(
  { database, rows }: Pick<World, "database" | "rows">,
  name: string,
  request: Values,
): Promise<Answer> {
  const { tenant: { instanceId }, contactId } = rows;
  return await callFunction<Answer>(database.sql, name, { instanceId, contactId, ...request });
}

/** Whether a value is one that a path which forgets the member would not tell. */
function isTelling(value: unknown): boolean {
  return value !== null && value !== undefined && value !== false && value !== 0 &&
    value !== "service" && JSON.stringify(value) !== "{}" && JSON.stringify(value) !== "[]";
}

function byId(items: readonly Members[]): ReadonlyMap<unknown, Members> {
  return new Map(items.map((item) => [item["messageId"], item]));
}

/** Requires that what is told of each message has the record's members, but for these. */
function expectMembers(
  records: readonly Members[],
  told: ReadonlyMap<unknown, Members>,
  leftOut: ReadonlySet<string> = new Set(),
): void {
  for (const record of records) {
    const other = told.get(record["messageId"]);
    assert(other !== undefined, `${JSON.stringify(record)} is not told`);
    const names = Object.keys(record).filter((name) => !leftOut.has(name));
    const shown = Object.fromEntries(names.map((name) => [name, other[name]]));
    assertEquals(
      writeInstantsInUtc(shown),
      writeInstantsInUtc(Object.fromEntries(names.map((name) => [name, record[name]]))),
    );
  }
}

Deno.test("every member of a message's record has a value in one of the messages compared here", async () => {
  await using world = await createWorld();
  const told = new Set(
    world.records.flatMap((record) => Object.keys(record).filter((key) => isTelling(record[key]))),
  );
  const expected = Object.keys(messageRecordFields);
  assertEquals(expected.filter((name) => !told.has(name)), []);
  assertEquals([...told].filter((name) => !expected.includes(name)), []);
});

Deno.test("the list tells every message as its record does", async () => {
  await using world = await createWorld();
  const { items } = await call<{ items: Members[] }>(world, "list_messages", { limit: 200 });
  assertEquals(items, world.records.toSorted(compareIds));
});

Deno.test("an event tells every message as its record does, whatever column a snapshot could forget", async () => {
  await using world = await createWorld();
  const { admin } = world.database;
  // Nothing tells of what was said before the number was connected.
  const left = world.records.filter(({ status, isImported }) =>
    status !== "queued" && isImported === undefined
  );
  const events = await admin<{ data: Members }[]>`
    select messaging.describe_event(e)->'data' as data from messaging.events e`;
  // The change that a call asked for is told to those who ask, not in events.
  expectMembers(left, byId(events.map(({ data }) => data)), new Set(["change"]));
});

Deno.test("an export tells every message as its record does", async () => {
  await using world = await createWorld();
  const { items } = await call<{ items: Members[] }>(world, "export_contact_page", {
    ...{ list: "messages", limit: 200, after: null },
  });
  // The contact stands once, at the head; what waits is told by its slot as stored.
  expectMembers(world.records, byId(items), new Set(["contact", ...whatHolds]));
});

/** What `format=raw` does not tell of a message that has left. */
const notInRaw: ReadonlySet<string> = new Set([
  // One contact is asked for, and stands at the head.
  ...["contact", "contactId"],
  // What counts while a message waits, or when it has not left.
  ...["heldBy", "holdReason", "holdCode", "heldUntil", "expiresAt", "cancelKey", "failedAt"],
  ...["cancelOn", "paymentReference", "cancelReason"],
  // What a call asked for, and how a ladder went. `template` is the sent one there.
  ...["change", "sentAs", "template", "invitationId", "invitationFor"],
]);

Deno.test("the raw history tells every message that has left as its record does", async () => {
  await using world = await createWorld();
  const left = world.records.filter(({ status }) =>
    ["sent", "delivered", "read", "received"].includes(String(status))
  );
  const history = await call<History>(world, "read_history", {
    ...{ startsAt: 0, endsAt: Math.floor(Date.now() / 1_000), limit: 200, fromMe: null },
  });
  const raw = formatRawMessages(history.messages, { attachments: true, includeMeta: true });
  expectMembers(left, byId(raw), notInRaw);
});

function compareIds(one: Members, other: Members): number {
  return String(one["createdAt"]).localeCompare(String(other["createdAt"])) ||
    String(one["messageId"]).localeCompare(String(other["messageId"]));
}
