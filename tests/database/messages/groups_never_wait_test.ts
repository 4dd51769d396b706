/** Groups of calls of two tenants while a third session holds what one of the tenants needs. */

import type { Sql } from "postgres";
import { assert, assertEquals, assertRejects } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { openSessions } from "../../support/database/sessions.ts";
import { createTenant, type Tenant } from "../../support/fixtures/tenant.ts";

type Json = Readonly<Record<string, unknown>>;

const [ours, theirs] = ["5511987654321", "5521912345678"] as const;

function toSend({ instanceId }: Tenant, phone: string): Json {
  return {
    ...{ instanceId, phone, assignment: null, agent: null, idempotency: null },
    message: { messageType: "text", message: "Olá" },
    delivery: { queued: false, intervalSeconds: 30, delaySeconds: 0, leaseSeconds: 30 },
  };
}

function toWebhook({ instanceId }: Tenant, event: Json): Json {
  return { instanceId, sealedProviderConfig: null, payload: "{}", events: [event] };
}

function toInbound(tenant: Tenant, address: string, providerMessageId: string): Json {
  return toWebhook(tenant, {
    ...{ kind: "message", origin: "inbound", isGroup: false, otherAddresses: [] },
    ...{ address, providerMessageId, messageType: "text", message: "Oi" },
  });
}

async function callGroup(sql: Sql, name: string, calls: readonly Json[]): Promise<(Json | null)[]> {
  const { results } = await callFunction<{ results: (Json | null)[] }>(sql, name, { calls });
  return results;
}

/** Two tenants with a contact and a message each, of which another session holds the first one's rows. */
async function holdRows(
  database: TestDatabase,
  hold: (sql: Sql, held: Tenant) => Promise<unknown>,
): Promise<{ held: Tenant; free: Tenant; sent: readonly Json[]; letGo: () => Promise<unknown> }> {
  const { one } = await openSessions(database);
  const [held, free] = [await createTenant(database.admin), await createTenant(database.admin)];
  const calls = [toSend(held, ours), toSend(free, theirs)];
  const sent = await Promise.all(
    calls.map((call) => callFunction<Json>(database.sql, "accept_message", call)),
  );
  await one.unsafe("begin");
  await hold(one, held);
  return { held, free, sent, letGo: () => one.unsafe("rollback") };
}

function holdContact(sql: Sql, { instanceId }: Tenant): Promise<unknown> {
  return sql`select from messaging.contacts where instance_id = ${instanceId} for update`.execute();
}

Deno.test("a group of sends leaves out the one whose contact is held, and records the others at once", async () => {
  await using database = await createTestDatabase();
  const { held, free, letGo } = await holdRows(database, holdContact);
  const calls = [toSend(held, ours), toSend(free, theirs)];
  const [left, taken] = await callGroup(database.sql, "accept_messages", calls);
  assertEquals([left, taken?.["mode"]], [null, "sent"]);
  await letGo();
  assertEquals((await callGroup(database.sql, "accept_messages", calls))[0]?.["mode"], "sent");
});

Deno.test("a group of webhooks leaves out the message whose contact is held, and records the others at once", async () => {
  await using database = await createTestDatabase();
  const { held, free, letGo } = await holdRows(database, holdContact);
  const calls = [toInbound(held, ours, "in-1"), toInbound(free, theirs, "in-2")];
  const recorded = await callGroup(database.sql, "record_provider_event_calls", calls);
  assertEquals(recorded, [null, { recorded: 1 }]);
  await letGo();
  const again = await callGroup(database.sql, "record_provider_event_calls", calls.slice(0, 1));
  assertEquals(again, [{ recorded: 1 }]);
});

Deno.test("a group of webhooks leaves out the delivery of a message that is held, and records the others at once", async () => {
  await using database = await createTestDatabase();
  const { held, free, letGo } = await holdRows(database, async (sql, { instanceId }) => {
    await database.admin`update messaging.messages
      set status = 'sent', sent_at = now(), provider_message_id = instance_id::text`;
    await database.admin`delete from messaging.message_queue where true`;
    await sql`select from messaging.messages where instance_id = ${instanceId} for update`;
  });
  const calls = [held, free].map((tenant) =>
    toWebhook(tenant, {
      ...{ kind: "status", providerMessageId: tenant.instanceId, status: "delivered" },
    })
  );
  const recorded = await callGroup(database.sql, "record_provider_event_calls", calls);
  assertEquals(recorded, [null, { recorded: 1 }]);
  await letGo();
});

Deno.test("a group of settlements that would wait for a message gives up and settles nothing", async () => {
  await using database = await createTestDatabase();
  const { sent, letGo } = await holdRows(
    database,
    (sql, { instanceId }) =>
      sql`select from messaging.messages where instance_id = ${instanceId} for update`.execute(),
  );
  const calls = sent.map(({ messageId, claimToken }) => ({
    results: [{ messageId, claimToken, outcome: "accepted", providerMessageId: messageId }],
    ...{ idempotency: null, response: null },
  }));
  const refusal = await assertRejects(
    () => callGroup(database.sql, "settle_message_calls", calls),
    Error,
  );
  assertEquals((refusal as Error & { code: string }).code, "55P03");
  assertEquals((await database.admin`select from messaging.message_queue`).length, 2);
  await letGo();
  assert((await callGroup(database.sql, "settle_message_calls", calls)).every(Boolean));
});

Deno.test("a group of authentications that would wait for a token's allowance gives up", async () => {
  await using database = await createTestDatabase();
  for (let tenants = 0; tenants < 2; tenants++) await createTenant(database.admin);
  const tokens = await database.admin<{ tokenHash: string }[]>`
    select token_hash as "tokenHash" from messaging.client_tokens`;
  const calls = tokens.map(({ tokenHash }) => ({ tokenHash, functionName: "send-message" }));
  await callGroup(database.sql, "authenticate_clients", calls);
  const { one } = await openSessions(database);
  await one.unsafe("begin");
  await one`select from messaging.rate_limits for update`;
  const refusal = await assertRejects(
    () => callGroup(database.sql, "authenticate_clients", calls),
    Error,
  );
  assertEquals((refusal as Error & { code: string }).code, "55P03");
  await one.unsafe("rollback");
});
