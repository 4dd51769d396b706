/** A merge of more messages than one step moves, and everything that may happen between its steps. */

import type { Sql } from "postgres";
import { assert, assertEquals, assertRejects } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { openSessions } from "../../support/database/sessions.ts";
import { createTenant, type Tenant } from "../../support/fixtures/tenant.ts";

type Json = Readonly<Record<string, unknown>>;

const phones = ["5511987654321", "5521912345678", "5531912345678"] as const;
/** More than the call itself moves, by several of the steps below. */
const messageCount = 1_300;
const step = { maxRows: 300 };

interface Person {
  readonly contactId: string;
  readonly conversationId: string;
}

/** Two persons with many messages each, of whom the first has just been merged into the second. */
interface Merged {
  readonly tenant: Tenant;
  readonly gone: Person;
  readonly kept: Person;
}

Deno.test("between the steps of a merge both ids give all messages, in order, as the survivor's", async () => {
  await using database = await createTestDatabase();
  const { tenant, gone, kept } = await beginMerge(database);
  const { instanceId } = tenant;
  for (const { contactId } of [gone, kept]) {
    const messages = await listAll(database.sql, "list_messages", { instanceId, contactId });
    assertEquals(messages.length, 2 * messageCount);
    for (const message of messages) {
      assertEquals([message["contactId"], message["conversationId"]], [
        ...[kept.contactId, kept.conversationId],
      ]);
    }
  }
  const { messages } = await callFunction<{ messages: Json[] }>(database.sql, "read_history", {
    ...{ instanceId, phone: phones[0], startsAt: 0, endsAt: 9_999_999_999, limit: 100 },
  });
  const newest = await database.admin`
    select id from messaging.messages order by sent_at desc, id desc limit 100`;
  assertEquals(
    messages.map((message) => message["messageId"]).toSorted(),
    newest.map(({ id }) => id).toSorted(),
  );
  const conversations = await listAll(database.sql, "list_conversations", { instanceId });
  assertEquals(conversations.map((one) => one["conversationId"]), [kept.conversationId]);
  const former = { instanceId, conversationId: gone.conversationId };
  await assertRejects(() => callFunction(database.sql, "get_conversation", former));
  const contacts = await listAll(database.sql, "list_contacts", { instanceId });
  assertEquals(contacts.map((one) => one["contactId"]), [kept.contactId]);
});

Deno.test("an export that begins between the steps has every message once, whatever moves meanwhile", async () => {
  await using database = await createTestDatabase();
  const { tenant, gone, kept } = await beginMerge(database);
  const ids: unknown[] = [];
  let after: unknown = null;
  do {
    const page = await callFunction<{ items: Json[]; next: unknown }>(
      database.sql,
      "export_contact_page",
      {
        ...{ instanceId: tenant.instanceId, contactId: gone.contactId },
        ...{ list: "messages", limit: 400, after },
      },
    );
    for (const item of page.items) {
      ids.push(item["messageId"]);
      assertEquals(item["contactId"], kept.contactId);
    }
    after = page.next;
    await callFunction(database.sql, "run_merges", step);
  } while (after !== null);
  assertEquals([ids.length, new Set(ids).size], [2 * messageCount, 2 * messageCount]);
});

Deno.test("the steps end with one contact that has everything, and tell nothing more", async () => {
  await using database = await createTestDatabase();
  const { kept } = await beginMerge(database);
  const told = await countEvents(database);
  await finish(database);
  assertEquals(await countEvents(database), told);
  assertEquals(await readOwners(database), [kept.contactId]);
  assertEquals((await database.admin`select from messaging.conversations`).length, 1);
  assertEquals((await database.admin`select from messaging.messages`).length, 2 * messageCount);
});

Deno.test("between the steps a send and an inbound message of either person are the survivor's", async () => {
  await using database = await createTestDatabase();
  const { tenant, gone, kept } = await beginMerge(database);
  const targets = [{ contactId: gone.contactId }, { phone: phones[0] }, { phone: phones[1] }];
  for (const target of targets) {
    const sent = await send(database.sql, tenant, target);
    assertEquals([sent.contactId, sent.conversationId], [kept.contactId, kept.conversationId]);
  }
  await receive(database.sql, tenant, {
    ...{ kind: "message", origin: "inbound", providerMessageId: "IN", address: phones[0] },
    ...{ otherAddresses: [], messageType: "text", message: "oi", isGroup: false },
  });
  const [inbound] = await database.admin`
    select contact_id from messaging.messages where provider_message_id = 'IN'`;
  assertEquals(inbound?.["contact_id"], kept.contactId);
  await finish(database);
  assertEquals(await readOwners(database), [kept.contactId]);
});

Deno.test("a delivery of a message that has not moved yet is told of the survivor, and moves it", async () => {
  await using database = await createTestDatabase();
  const { tenant, gone, kept } = await beginMerge(database);
  const [unmoved] = await database.admin`
    select id, provider_message_id from messaging.messages
    where contact_id = ${gone.contactId} and direction = 'outbound' limit 1`;
  assert(unmoved !== undefined);
  await receive(database.sql, tenant, {
    ...{ kind: "status", providerMessageId: unmoved["provider_message_id"], status: "delivered" },
  });
  const [event] = await database.admin`
    select contact_id, (message).contact_id as told, (message).conversation_id as conversation
    from messaging.events where type = 'message.delivered' and (message).id = ${unmoved["id"]}`;
  assertEquals(event, {
    ...{ contact_id: kept.contactId, told: kept.contactId, conversation: kept.conversationId },
  });
  const [moved] = await database.admin`
    select contact_id from messaging.messages where id = ${unmoved["id"]}`;
  assertEquals(moved?.["contact_id"], kept.contactId);
});

Deno.test("a second merge between the steps of the first leaves the last survivor with everything", async () => {
  await using database = await createTestDatabase();
  const { tenant, gone, kept } = await beginMerge(database);
  const last = await send(database.sql, tenant, { phone: phones[2] });
  await callFunction(database.sql, "run_merges", step);
  await merge(database.sql, tenant, kept.contactId, last.contactId);
  const { instanceId } = tenant;
  const messages = await listAll(database.sql, "list_messages", {
    ...{ instanceId, contactId: gone.contactId },
  });
  assertEquals(messages.length, 2 * messageCount + 1);
  assertEquals(new Set(messages.map((one) => one["contactId"])), new Set([last.contactId]));
  await finish(database);
  assertEquals(await readOwners(database), [last.contactId]);
  assertEquals((await database.admin`select from messaging.contacts`).length, 1);
});

Deno.test("an erasure between the steps of a merge leaves nothing of either person", async () => {
  await using database = await createTestDatabase();
  const { tenant, gone } = await beginMerge(database);
  await callFunction(database.sql, "erase_contact", {
    ...{ instanceId: tenant.instanceId, contactId: gone.contactId, maxRows: 500 },
  });
  for (;;) {
    await callFunction(database.sql, "run_merges", step);
    const { isComplete } = await callFunction<{ isComplete: boolean }>(
      database.sql,
      "run_erasures",
      { maxRows: 500 },
    );
    if (isComplete) break;
  }
  assertEquals(await readOwners(database), []);
  assertEquals((await database.admin`select from messaging.contacts`).length, 0);
  assertEquals((await database.admin`select from messaging.conversations`).length, 0);
});

Deno.test("marketing that waits for a person is not sent after a merge with one who denied it, however many messages move", async () => {
  await using database = await createTestDatabase();
  const tenant = await createTenant(database.admin);
  const [gone, kept] = await createPersons(database, tenant);
  const waiting = await callFunction<{ messageId: string }>(database.sql, "accept_message", {
    ...{ instanceId: tenant.instanceId, phone: phones[0], idempotency: null, assignment: null },
    message: { messageType: "text", message: "promo", purpose: "marketing" },
    delivery: { queued: false, delaySeconds: 3_600, intervalSeconds: 0, leaseSeconds: 30 },
  });
  await callFunction(database.sql, "set_contact_consent", {
    ...{ instanceId: tenant.instanceId, contactId: kept.contactId, idempotency: null },
    ...{ marketing: "denied", source: "api" },
  });
  await merge(database.sql, tenant, gone.contactId, kept.contactId);
  await database.admin`update messaging.message_queue set scheduled_at = now(), visible_at = now()`;
  const { messages } = await callFunction<{ messages: Json[] }>(
    database.sql,
    "claim_due_messages",
    { maxMessages: 10, leaseSeconds: 30 },
  );
  assertEquals(messages.map((one) => [one["messageId"], one["isOptedOut"]]), [
    [waiting.messageId, true],
  ]);
});

Deno.test("a step waits for nobody: messages and survivors that others hold are passed over", async () => {
  await using database = await createTestDatabase();
  const { kept, gone } = await beginMerge(database);
  const { one } = await openSessions(database);
  await database.sql.unsafe("set lock_timeout = '1s'");
  await one.unsafe("begin");
  await one`select from messaging.messages where contact_id = ${gone.contactId} limit 5 for update`;
  for (let steps = 0; steps < 10; steps++) await callFunction(database.sql, "run_merges", step);
  assertEquals(await readOwners(database), [gone.contactId, kept.contactId].toSorted());
  await one.unsafe("rollback; begin");
  await one`select from messaging.contacts where id = ${kept.contactId} for update`;
  assertEquals(await callFunction(database.sql, "run_merges", step), { isComplete: true });
  await one.unsafe("rollback");
  await finish(database);
  assertEquals(await readOwners(database), [kept.contactId]);
});

async function beginMerge(database: TestDatabase): Promise<Merged> {
  const tenant = await createTenant(database.admin);
  const [gone, kept] = await createPersons(database, tenant);
  await merge(database.sql, tenant, gone.contactId, kept.contactId);
  const left = await database.admin`
    select from messaging.messages where contact_id = ${gone.contactId}`;
  assert(left.length > step.maxRows, "the call leaves several steps");
  return { tenant, gone, kept };
}

async function createPersons(database: TestDatabase, tenant: Tenant): Promise<[Person, Person]> {
  const gone = await send(database.sql, tenant, { phone: phones[0] });
  const kept = await send(database.sql, tenant, { phone: phones[1] });
  await database.admin`delete from messaging.message_queue where true`;
  await database.admin`delete from messaging.messages where true`;
  for (const { contactId, conversationId } of [gone, kept]) {
    await database.admin`
      insert into messaging.messages (
        instance_id, contact_id, conversation_id, direction, message_type, message, mode, status,
        provider_message_id, created_at, sent_at
      )
      select ${tenant.instanceId}, ${contactId}, ${conversationId}, 'outbound', 'text', 'x', 'sent',
        'sent', ${contactId} || n, now() - n * interval '7 seconds', now() - n * interval '7 seconds'
      from generate_series(1, ${messageCount}) as n`;
  }
  return [gone, kept];
}

async function finish(database: TestDatabase): Promise<void> {
  for (;;) {
    const { isComplete } = await callFunction<{ isComplete: boolean }>(
      database.sql,
      "run_merges",
      step,
    );
    if (isComplete) return;
  }
}

async function listAll(sql: Sql, name: string, request: Json): Promise<Json[]> {
  const items: Json[] = [];
  let after: unknown = null;
  do {
    const page: { items: Json[]; next: unknown } = await callFunction(sql, name, {
      ...{ ...request, limit: 500, after },
    });
    items.push(...page.items);
    after = page.next;
  } while (after !== null);
  return items;
}

function merge(sql: Sql, tenant: Tenant, contactId: string, intoContactId: string): Promise<Json> {
  return callFunction(sql, "merge_contact", {
    ...{ instanceId: tenant.instanceId, contactId, intoContactId, idempotency: null },
  });
}

function send(sql: Sql, { instanceId }: Tenant, target: Json): Promise<Person> {
  return callFunction(sql, "accept_message", {
    ...{ instanceId, ...target, idempotency: null, assignment: null },
    message: { messageType: "text", message: "oi" },
    delivery: { queued: false, delaySeconds: 0, leaseSeconds: 30 },
  });
}

function receive(sql: Sql, { instanceId }: Tenant, event: Json): Promise<unknown> {
  return callFunction(sql, "record_provider_events", {
    ...{ instanceId, sealedProviderConfig: null, payload: "{}", events: [event] },
  });
}

async function readOwners({ admin }: TestDatabase): Promise<unknown[]> {
  const rows = await admin`select distinct contact_id from messaging.messages order by 1`;
  return rows.map((row) => row["contact_id"]);
}

async function countEvents({ admin }: TestDatabase): Promise<number> {
  return (await admin`select from messaging.events`).length;
}
