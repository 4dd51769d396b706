/** Batches of sending calls beside other calls, step by step on two connections. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countMostRowsRead } from "../../support/database/rows_read.ts";
import { isWaiting, openSessions } from "../../support/database/sessions.ts";
import { fillQueue } from "../../support/fixtures/long_queue.ts";
import { createAgent, createTenant, type Tenant } from "../../support/fixtures/tenant.ts";
import { createSeededRandom } from "../../support/seeded_random.ts";
import { waitUntil } from "../../support/wait_until.ts";

type Json = Readonly<Record<string, unknown>>;

const [one, two] = ["5511987654321", "5521912345678"] as const;

function toCall(tenant: Tenant, phone: string, key?: string): Json {
  return {
    ...{ instanceId: tenant.instanceId, phone, assignment: null, agent: null },
    idempotency: key === undefined ? null : { scope: "s", key, fingerprint: "f" },
    message: { messageType: "text", message: "Olá" },
    delivery: { queued: false, intervalSeconds: 30, delaySeconds: 0, leaseSeconds: 30 },
  };
}

/** As accept_messages, which gives up where a lock is not free in time: here the steps wait for each other. */
async function acceptAll(sql: Sql, calls: readonly Json[]): Promise<readonly (Json | null)[]> {
  const rows = await sql.unsafe("select messaging.accept_plain_calls($1::text::jsonb) as results", [
    JSON.stringify(calls),
  ]);
  return rows[0]?.["results"] as (Json | null)[];
}

/** Calls in both orders, all of one kind: every lock of the one batch is one of the other. */
const crossings: Readonly<Record<string, (tenant: Tenant) => readonly Json[]>> = {
  "to the same new contacts": (tenant) => [toCall(tenant, one), toCall(tenant, two)],
  "with the same keys": (tenant) => [toCall(tenant, one, "a"), toCall(tenant, two, "b")],
  "with the same keys, to each other's contacts": (tenant) => [
    ...[toCall(tenant, one, "a"), toCall(tenant, two, "b"), toCall(tenant, one, "c")],
  ],
};

for (const [name, build] of Object.entries(crossings)) {
  Deno.test(`two batches in opposite orders ${name} wait for each other and do not deadlock`, async () => {
    await using database = await createTestDatabase();
    const sessions = await openSessions(database);
    const tenant = await createTenant(database.admin);
    await createAgent(database.admin, tenant.instanceId);
    const calls = build(tenant);
    await sessions.one.unsafe("begin");
    const first = await acceptAll(sessions.one, calls);
    const waiting = acceptAll(sessions.two, calls.toReversed());
    await waitUntil(() => isWaiting(database.admin));
    await sessions.one.unsafe("commit");
    const second = await waiting;
    assert(first.every((result) => result !== null));
    const hasKeys = calls[0]?.["idempotency"] !== null;
    assertEquals(
      second.map((result) => result?.["contactId"]),
      hasKeys ? calls.map(() => undefined) : first.map((r) => r?.["contactId"]).toReversed(),
    );
    assertEquals((await database.admin`select from messaging.contacts`).length, 2);
  });
}

Deno.test("many batches in random orders neither deadlock nor make one person two contacts", async () => {
  await using database = await createTestDatabase();
  const tenants = [await createTenant(database.admin), await createTenant(database.admin)];
  for (const { instanceId } of tenants) await createAgent(database.admin, instanceId);
  const random = createSeededRandom();
  const phones = ["551187654321", "5511987654321", two, "4915112345678", "4915112345679"];
  for (let round = 0; round < 6; round++) {
    await database.admin`delete from messaging.contacts`;
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => {
      const calls = tenants.flatMap((tenant) => phones.map((phone) => toCall(tenant, phone)));
      const order = calls.map((call) => ({ call, place: random.between(0, 1) }))
        .sort((a, b) => a.place - b.place);
      return acceptAll(database.sql, order.map(({ call }) => call));
    }));
    const failures = outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [(outcome.reason as { code?: string }).code] : []
    );
    assertEquals(failures, [], `seed ${random.seed}`);
    assertEquals((await database.admin`select from messaging.contacts`).length, 8);
  }
});

Deno.test("a batch and a single call to one new contact make one", async () => {
  await using database = await createTestDatabase();
  const sessions = await openSessions(database);
  const tenant = await createTenant(database.admin);
  await sessions.one.unsafe("begin");
  const single = await callFunction<Json>(
    sessions.one,
    "accept_message",
    toCall(tenant, "551187654321"),
  );
  const waiting = acceptAll(sessions.two, [toCall(tenant, two), toCall(tenant, one)]);
  await waitUntil(() => isWaiting(database.admin));
  await sessions.one.unsafe("commit");
  assertEquals((await waiting)[1]?.["contactId"], single["contactId"]);
  assertEquals((await database.admin`select from messaging.contacts`).length, 2);
});

Deno.test("a batch leaves out the calls to a contact that is being merged, and writes to the one that is left afterwards", async () => {
  await using database = await createTestDatabase();
  const sessions = await openSessions(database);
  const tenant = await createTenant(database.admin, { provider: "whatsapp_cloud" });
  const calls = [toCall(tenant, "4915112345678", "a"), toCall(tenant, one), toCall(tenant, two)];
  const record = (sql: Sql, event: Json): Promise<unknown> =>
    callFunction(sql, "record_provider_events", {
      ...{ instanceId: tenant.instanceId, sealedProviderConfig: null, payload: "{}" },
      events: [event],
    });
  const [first] = await acceptAll(database.sql, [toCall(tenant, one)]);
  await record(database.sql, {
    ...{ kind: "message", origin: "inbound", providerMessageId: "in-1", isGroup: false },
    ...{ address: two, otherAddresses: [], messageType: "text", message: "Oi" },
  });
  await sessions.one.unsafe("begin");
  await record(sessions.one, {
    ...{ kind: "number_change", eventId: "SYS1", oldAddress: one, newAddress: two },
  });
  const during = await acceptAll(sessions.two, calls);
  assertEquals(during.map((result) => result?.["mode"] ?? null), ["sent", null, null]);
  await sessions.one.unsafe("commit");
  assertEquals((await database.admin`select from messaging.idempotency_keys`).length, 1);
  const again = await acceptAll(sessions.two, calls);
  assertEquals(again.map((result) => result?.["contactId"] ?? null), [
    ...[null, first?.["contactId"], first?.["contactId"]],
  ]);
});

Deno.test("a contact that is blocked while a batch waits for its key gets no second answer: the call came first", async () => {
  await using database = await createTestDatabase();
  const sessions = await openSessions(database);
  const tenant = await createTenant(database.admin);
  await acceptAll(database.sql, [toCall(tenant, one)]);
  await sessions.one.unsafe("begin");
  await acceptAll(sessions.one, [toCall(tenant, two, "k")]);
  const waiting = acceptAll(sessions.two, [toCall(tenant, one, "k"), toCall(tenant, one)]);
  await waitUntil(() => isWaiting(database.admin));
  await database.admin`update messaging.contacts set is_blocked = true where phone = ${one}`;
  await sessions.one.unsafe("rollback");
  assertEquals((await waiting).map((result) => result?.["mode"]), ["sent", "sent"]);
  assertEquals(await acceptAll(database.sql, [toCall(tenant, one)]), [null]);
});

Deno.test("a batch reads its own rows alone, beside 10,000 waiting and 20,000 stored messages", async () => {
  await using database = await createTestDatabase({ own: true });
  const tenant = await createTenant(database.admin);
  await fillQueue(database.admin, tenant.instanceId, { messages: 10_000, interval: 10 });
  await database.admin.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`
      insert into messaging.messages (
        instance_id, contact_id, conversation_id, direction, message_type, message, mode, status,
        provider_message_id, sent_at
      )
      select m.instance_id, m.contact_id, m.conversation_id, 'outbound', 'text', 'x', 'sent', 'sent',
        'p' || n, now()
      from generate_series(1, 20000) as n
      cross join (select * from messaging.messages limit 1) as m`;
  });
  await database.admin`
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    select ${tenant.instanceId}, (4915100000000 + n)::text, (4915100000000 + n)::text, 'api'
    from generate_series(1, 2000) as n`;
  await database.admin`analyze`;
  const session = database.connect({ role: "superuser", max: 1 });
  const phones = [one, two, "4915100000001", "4915100000002"];
  const rows = await countMostRowsRead(
    session,
    (sql) => acceptAll(sql, phones.map((phone, n) => toCall(tenant, phone, `k${n}`))),
  );
  assert(rows < 200, `${rows} rows`);
});
