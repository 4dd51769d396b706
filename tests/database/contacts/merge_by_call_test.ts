/** Merges by call while messages are in flight, and two merges at once, step by step on two connections. */

import type { Sql } from "postgres";
import { assert, assertEquals, assertRejects } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { isWaiting, openSessions } from "../../support/database/sessions.ts";
import { createTenant, type Tenant } from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";

const phones = ["5511987654321", "5521912345678"] as const;

type Json = Readonly<Record<string, unknown>>;
interface Accepted {
  readonly contactId: string;
  readonly messageId: string;
  readonly claimToken: string;
}

Deno.test("two opposite merges at once give one survivor, without a deadlock", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const tenant = await createTenant(database.admin);
  const [a, b] = [await send(database.sql, tenant, 0), await send(database.sql, tenant, 1)];
  await one.unsafe("begin");
  await merge(one, tenant, a.contactId, b.contactId);
  const opposite = (): Promise<Json> => merge(two, tenant, b.contactId, a.contactId);
  const refused = assertRejects(opposite, Error, "merged meanwhile");
  await waitUntil(() => isWaiting(database.admin));
  await one.unsafe("commit");
  await refused;
  assertEquals(await opposite(), { contactId: b.contactId });
  assertEquals(await readContacts(database), [b.contactId]);
});

Deno.test("many merges of one circle at once leave one contact that has every message", async () => {
  await using database = await createTestDatabase();
  const tenant = await createTenant(database.admin);
  const ids: string[] = [];
  for (let place = 0; place < 6; place++) {
    const phone = `55119876500${place}0`;
    ids.push((await send(database.sql, tenant, 0, phone)).contactId);
  }
  await Promise.all(ids.map(async (id, place) => {
    const into = ids[(place + 1) % ids.length];
    for (let attempt = 0; attempt < 20; attempt++) {
      try {
        await merge(database.sql, tenant, id, String(into));
        return;
      } catch (error) {
        assert(/merged meanwhile|deadlock/.test(String(error)), String(error));
      }
    }
  }));
  const [survivor, ...others] = await readContacts(database);
  assertEquals(others, []);
  const rows = await database.admin`select distinct contact_id from messaging.messages`;
  assertEquals(rows.map((row) => row["contact_id"]), [survivor]);
  const tombs = await database.admin`
    select distinct merged_into from messaging.contact_activity where merged_into is not null`;
  assertEquals(tombs.map((row) => row["merged_into"]), [survivor]);
});

for (const outcome of ["accepted", "rejected", "unknown"] as const) {
  Deno.test(`a message in flight to either contact is settled as ${outcome} on the survivor`, async () => {
    await using database = await createTestDatabase();
    const tenant = await createTenant(database.admin);
    const [a, b] = [await send(database.sql, tenant, 0), await send(database.sql, tenant, 1)];
    await merge(database.sql, tenant, a.contactId, b.contactId);
    for (const [place, { messageId, claimToken }] of [a, b].entries()) {
      await settle(database.sql, {
        ...{ messageId, claimToken, outcome, providerMessageId: `P${place}` },
        error: { code: "x", message: "x" },
      });
    }
    const rows = await database.admin`
      select contact_id, status from messaging.messages order by created_at`;
    const status = { accepted: "sent", rejected: "failed", unknown: "unconfirmed" }[outcome];
    assertEquals(rows.map((row) => [row["contact_id"], row["status"]]), [
      [b.contactId, status],
      [b.contactId, status],
    ]);
    assertEquals((await database.admin`select from messaging.message_queue`).length, 0);
  });
}

Deno.test("a merge waits for a settlement under way, and a settlement for a merge; neither is lost", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const tenant = await createTenant(database.admin);
  const [a, b] = [await send(database.sql, tenant, 0), await send(database.sql, tenant, 1)];
  const accepted = ({ messageId, claimToken }: Accepted): Json => ({
    ...{ messageId, claimToken, outcome: "accepted", providerMessageId: messageId },
  });
  await one.unsafe("begin");
  await settle(one, accepted(a));
  const merging = merge(two, tenant, a.contactId, b.contactId);
  await waitUntil(() => isWaiting(database.admin));
  await one.unsafe("commit");
  assertEquals(await merging, { contactId: b.contactId });

  const c = await send(database.sql, tenant, 0, "5531912345678");
  await two.unsafe("begin");
  await merge(two, tenant, c.contactId, b.contactId);
  const settling = settle(one, accepted(c));
  await waitUntil(() => isWaiting(database.admin));
  await two.unsafe("commit");
  await settling;
  await settle(one, accepted(b));
  const rows = await database.admin`
    select distinct contact_id, status from messaging.messages`;
  assertEquals(rows.map((row) => [row["contact_id"], row["status"]]), [[b.contactId, "sent"]]);
  const [last] = await database.admin`
    select last_message_at is not null as is_known from messaging.contact_activity
    where contact_id = ${b.contactId}`;
  assertEquals(last?.["is_known"], true);
});

Deno.test("a call to a contact that is being merged by call is retried on the survivor", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const tenant = await createTenant(database.admin);
  const [a, b] = [await send(database.sql, tenant, 0), await send(database.sql, tenant, 1)];
  await one.unsafe("begin");
  await merge(one, tenant, a.contactId, b.contactId);
  const again = (): Promise<Accepted> => send(two, tenant, 0);
  const refused = assertRejects(again, Error, "merged meanwhile");
  await waitUntil(() => isWaiting(database.admin));
  await one.unsafe("commit");
  await refused;
  assertEquals((await again()).contactId, b.contactId);
});

Deno.test("an inbound message of the contact that is being merged is recorded on the survivor", async () => {
  await using database = await createTestDatabase();
  const { one, two } = await openSessions(database);
  const tenant = await createTenant(database.admin);
  const [a, b] = [await send(database.sql, tenant, 0), await send(database.sql, tenant, 1)];
  await one.unsafe("begin");
  await merge(one, tenant, a.contactId, b.contactId);
  const receiving = callFunction(two, "record_provider_events", {
    ...{ instanceId: tenant.instanceId, sealedProviderConfig: null, payload: "{}" },
    events: [{
      ...{ kind: "message", origin: "inbound", providerMessageId: "IN", address: phones[0] },
      ...{ otherAddresses: [], messageType: "text", message: "oi", isGroup: false },
    }],
  });
  await waitUntil(() => isWaiting(database.admin));
  await one.unsafe("commit");
  await receiving;
  const rows = await database.admin`
    select contact_id from messaging.messages where direction = 'inbound'`;
  assertEquals(rows.map((row) => row["contact_id"]), [b.contactId]);
  assertEquals(await readContacts(database), [b.contactId]);
});

function merge(sql: Sql, tenant: Tenant, contactId: string, intoContactId: string): Promise<Json> {
  return callFunction(sql, "merge_contact", {
    ...{ instanceId: tenant.instanceId, contactId, intoContactId, idempotency: null },
  });
}

function send(
  sql: Sql,
  { instanceId }: Tenant,
  place: 0 | 1,
  phone: string = phones[place],
): Promise<Accepted> {
  return callFunction(sql, "accept_message", {
    ...{ instanceId, phone, idempotency: null, assignment: null },
    message: { messageType: "text", message: "oi" },
    delivery: { queued: false, delaySeconds: 0, leaseSeconds: 30 },
  });
}

function settle(sql: Sql, result: Json): Promise<unknown> {
  return callFunction(sql, "settle_messages", {
    ...{ results: [result], idempotency: null, response: null },
  });
}

async function readContacts({ admin }: TestDatabase): Promise<unknown[]> {
  const rows = await admin`select id from messaging.contacts`;
  return rows.map((row) => row["id"]);
}
