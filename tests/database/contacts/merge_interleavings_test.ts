/** Merges contacts while other calls write to them, step by step on two connections. */

import type { Sql } from "postgres";
import { assertEquals, assertRejects } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countWaiting, isWaiting, openSessions } from "../../support/database/sessions.ts";
import {
  createAgent,
  createOperator,
  createTenant,
  type Tenant,
} from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";

const oldPhone = "5511987654321";
const newPhone = "5521912345678";

type Json = Readonly<Record<string, unknown>>;

/** Calls that a client may make on a contact while it is merged. */
const writes: Readonly<Record<string, (operatorId: string) => Json>> = {
  save_contact: () => ({ fields: { isBlocked: true, notes: "não escrever" }, tags: null }),
  set_conversation_status: () => ({ status: "closed" }),
  accept_message: (operatorId) => ({
    assignment: { assignTo: operatorId, portfolio: false },
    message: null,
    delivery: { queued: false, delaySeconds: 0, leaseSeconds: 30 },
  }),
};

for (const [name, request] of Object.entries(writes)) {
  Deno.test(`${name} on a contact that is being merged is retried, not lost`, async () => {
    await using database = await createTestDatabase();
    const { one, two } = await openSessions(database);
    const tenant = await createTenant(database.admin, { provider: "whatsapp_cloud" });
    const operatorId = await createOperator(database.admin, tenant.workspaceId, {
      name: "Ana",
      email: "ana@example.com",
    });
    await save(database.sql, tenant, oldPhone);
    await record(database.sql, tenant, inbound(newPhone));
    const write = (): Promise<unknown> =>
      callFunction(two, name, {
        instanceId: tenant.instanceId,
        phone: newPhone,
        idempotency: null,
        ...request(operatorId),
      });
    await one.unsafe("begin");
    await record(one, tenant, {
      kind: "number_change",
      eventId: "SYS1",
      oldAddress: oldPhone,
      newAddress: newPhone,
    });
    const writing = assertRejects(write, Error, "merged meanwhile");
    await waitUntil(() => isWaiting(database.admin));
    await one.unsafe("commit");
    await writing;
    await write();
    const [contact] = await database.admin`
      select c.phone, c.is_blocked, v.status, v.assigned_to
      from messaging.contacts c join messaging.conversations v on v.contact_id = c.id`;
    assertEquals(contact?.["phone"], oldPhone);
    const isDone = {
      save_contact: contact?.["is_blocked"],
      set_conversation_status: contact?.["status"] === "closed",
      accept_message: contact?.["assigned_to"] === operatorId,
    }[name];
    assertEquals(isDone, true);
  });
}

Deno.test("an event with the address that a concurrent response reveals belongs to the same contact", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const tenant = await createTenant(database.admin, { provider: "whatsapp_cloud" });
  const accepted = await callFunction<{ messageId: string; claimToken: string }>(
    database.sql,
    "accept_message",
    {
      instanceId: tenant.instanceId,
      phone: oldPhone,
      idempotency: null,
      assignment: null,
      message: { messageType: "text", message: "oi" },
      delivery: { queued: false, delaySeconds: 0, leaseSeconds: 30 },
    },
  );
  await one.unsafe("begin");
  await callFunction(one, "settle_messages", {
    results: [{
      ...{ messageId: accepted.messageId, claimToken: accepted.claimToken },
      ...{ outcome: "accepted", providerMessageId: "OWN1", waId: newPhone },
    }],
  });
  const recording = record(two, tenant, inbound(newPhone));
  await waitUntil(() => isWaiting(database.admin));
  await one.unsafe("commit");
  await recording;
  const contacts = await database.admin`select phone from messaging.contacts`;
  assertEquals(contacts.map(({ phone }) => phone), [oldPhone]);
});

/** Addresses that the answer of a message to the contact that is merged away may show. */
const answers = {
  "an address that nobody has": "5531977776666",
  "the survivor's address": newPhone,
} as const;

for (const [what, waId] of Object.entries(answers)) {
  Deno.test(`a settlement that shows ${what} and a merge of its contact pass each other without a deadlock`, async () => {
    await using database = await createTestDatabase();
    const { one, two } = await openSessions(database);
    const holder = database.connect({ max: 1 });
    const tenant = await createTenant(database.admin, { provider: "whatsapp_cloud" });
    await save(database.sql, tenant, newPhone);
    const accepted = await callFunction<{ messageId: string; claimToken: string }>(
      database.sql,
      "accept_message",
      {
        instanceId: tenant.instanceId,
        phone: oldPhone,
        idempotency: null,
        assignment: null,
        message: { messageType: "text", message: "oi" },
        delivery: { queued: false, delaySeconds: 0, leaseSeconds: 30 },
      },
    );
    const idOf = async (phone: string): Promise<string> => {
      const [row] = await database.admin`select id from messaging.contacts where phone = ${phone}`;
      return row?.["id"];
    };
    const [gone, kept] = [await idOf(oldPhone), await idOf(newPhone)];
    // The merge stops in its middle: it has the contacts, and not the messages yet.
    await holder.unsafe("begin");
    await holder.unsafe("select from messaging.conversations for update");
    const merging = callFunction(one, "merge_contact", {
      instanceId: tenant.instanceId,
      ...{ contactId: gone, intoContactId: kept, idempotency: null },
    });
    await waitUntil(() => isWaiting(database.admin));
    const settling = callFunction<{ settled: string[] }>(two, "settle_messages", {
      results: [{
        ...{ messageId: accepted.messageId, claimToken: accepted.claimToken },
        ...{ outcome: "accepted", providerMessageId: "OWN1", waId },
      }],
    });
    await waitUntil(async () => await countWaiting(database.admin) === 2);
    await holder.unsafe("commit");
    const [, { settled }] = await Promise.all([merging, settling]);
    assertEquals(settled, [accepted.messageId]);
    const messages = await database.admin`select contact_id, status from messaging.messages`;
    assertEquals(messages.map((row) => ({ ...row })), [{ contact_id: kept, status: "sent" }]);
    const addresses = await database.admin`
      select distinct contact_id from messaging.contact_addresses where address = ${waId}`;
    assertEquals(addresses.map((row) => row["contact_id"]), [kept]);
  });
}

Deno.test("a refusal of a question that has a pending answer and a merge of its contact pass each other without a deadlock", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const holder = database.connect({ max: 1 });
  const tenant = await createTenant(database.admin, { provider: "whatsapp_cloud" });
  await createAgent(database.admin, tenant.instanceId);
  await record(database.sql, tenant, inbound(newPhone));
  const { messageId, claimToken, contactId } = await callFunction<Record<string, string>>(
    database.sql,
    "accept_message",
    {
      ...{ instanceId: tenant.instanceId, phone: oldPhone, idempotency: null, assignment: null },
      message: {
        ...{ messageType: "text", message: "Quantos?" },
        ask: { questionId: crypto.randomUUID(), accept: "any", answerWithinSeconds: 3_600 },
      },
      delivery: { queued: false, delaySeconds: 0, leaseSeconds: 30 },
    },
  );
  await record(database.sql, tenant, inbound(oldPhone));
  const [gone] = await database.admin`select id from messaging.contacts where phone = ${newPhone}`;
  // The merge stops in its middle: it has the conversations, and not the addresses yet.
  await holder.unsafe("begin");
  await holder`select from messaging.contact_addresses where contact_id = ${
    gone?.["id"]
  } for update`;
  const merging = callFunction(one, "merge_contact", {
    instanceId: tenant.instanceId,
    ...{ contactId: gone?.["id"], intoContactId: contactId, idempotency: null },
  });
  await waitUntil(() => isWaiting(database.admin));
  const settling = callFunction(two, "settle_messages", {
    results: [{
      ...{ messageId, claimToken, outcome: "rejected" },
      error: { code: "131026", message: "no", meaning: null },
    }],
  });
  await waitUntil(async () => await countWaiting(database.admin) === 2);
  await holder.unsafe("commit");
  await Promise.all([merging, settling]);
  const [question] = await database.admin<Json[]>`
    select reason, contact_id as "contactId", pending_answer as "pendingAnswer" from messaging.questions`;
  assertEquals({ ...question }, { reason: "not_sent", contactId, pendingAnswer: null });
});

/** Lists, each with a table that it reads after it has found the contact. */
const lists = { list_contacts: "contact_activity", list_conversations: "conversations" } as const;

for (const [name, table] of Object.entries(lists)) {
  Deno.test(`${name} of a contact that is merged meanwhile is retried, and never empty`, async () => {
    await using database = await createTestDatabase();
    const { one, two } = await openSessions(database);
    const tenant = await createTenant(database.admin, { provider: "whatsapp_cloud" });
    for (const address of [oldPhone, newPhone]) {
      await record(database.sql, tenant, inbound(address));
    }
    const [kept, gone] = await database.admin<{ id: string }[]>`
      select id from messaging.contacts order by phone = ${newPhone}`;
    const { instanceId } = tenant;
    const list = (): Promise<{ items: { record?: Json; contactId?: string }[] }> =>
      callFunction(two, name, { instanceId, phone: newPhone, limit: 10, order: "asc" });
    await one.unsafe("begin");
    await one.unsafe(`lock table messaging.${table} in access exclusive mode`);
    const listing = assertRejects(list, Error, "merged meanwhile");
    await waitUntil(() => isWaiting(database.admin));
    await callFunction(one, "merge_contact", {
      ...{ instanceId, contactId: gone?.id, intoContactId: kept?.id, idempotency: null },
    });
    await one.unsafe("commit");
    await listing;
    assertEquals((await list()).items.map((item) => item.contactId), [kept?.id]);
  });
}

Deno.test("a merged contact is in the portfolio of its own operator alone", async () => {
  await using database = await createTestDatabase();
  const tenant = await createTenant(database.admin, { provider: "whatsapp_cloud" });
  const assign = async (phone: string, name: string, portfolio: boolean): Promise<string> => {
    const assignTo = await createOperator(database.admin, tenant.workspaceId, {
      name,
      email: `${name}@example.com`,
    });
    await callFunction(database.sql, "accept_message", {
      instanceId: tenant.instanceId,
      phone,
      idempotency: null,
      assignment: { assignTo, portfolio },
      message: null,
      delivery: { queued: false, delaySeconds: 0, leaseSeconds: 30 },
    });
    return assignTo;
  };
  await record(database.sql, tenant, inbound(newPhone));
  const operatorId = await assign(oldPhone, "ana", false);
  await assign(newPhone, "bia", true);
  await record(database.sql, tenant, {
    ...{ kind: "number_change", eventId: "SYS1" },
    ...{ oldAddress: oldPhone, newAddress: newPhone },
  });
  const rows = await database.admin`
    select v.assigned_to, p.operator_id from messaging.conversations v
    left join messaging.portfolios p on p.contact_id = v.contact_id`;
  assertEquals(rows.map((row) => [row["assigned_to"], row["operator_id"]]), [[operatorId, null]]);
});

function inbound(address: string): Json {
  return {
    kind: "message",
    origin: "inbound",
    providerMessageId: `IN-${address}`,
    address,
    otherAddresses: [],
    messageType: "text",
    message: "oi",
    isGroup: false,
  };
}

async function save(sql: Sql, { instanceId }: Tenant, phone: string): Promise<void> {
  await callFunction(sql, "save_contact", {
    ...{ instanceId, phone, fields: {}, tags: null, idempotency: null },
  });
}

async function record(sql: Sql, { instanceId }: Tenant, event: Json): Promise<void> {
  const [instance] = await sql`
    select sealed_provider_config from messaging.instances where id = ${instanceId}`;
  await callFunction(sql, "record_provider_events", {
    instanceId,
    sealedProviderConfig: instance?.["sealed_provider_config"],
    payload: "{}",
    events: [event],
  });
}
