import { assert, assertEquals } from "../../support/assert.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { letTimePass } from "../../support/database/time_travel.ts";

const hour = 3_600;
const day = 24 * hour;

/** What is kept for how long, as docs/operations.md says. */
const periods = [
  ["idempotency_keys", day],
  ["provider_events", 30 * day],
  ["unmatched_statuses", 7 * day],
  ["outbox that is done", 7 * day],
  ["outbox that is dead", 90 * day],
] as const;

for (const [kind, seconds] of periods) {
  Deno.test(`${kind}: rows go when their time is over, and not before`, async () => {
    await using stack = await startMessagingStack();
    await writeRow(stack, kind);
    await letTimePass(stack.admin, seconds - hour);
    assertEquals([(await stack.dispatch()).purged, await countRows(stack, kind)], [0, 1]);
    await letTimePass(stack.admin, hour + 1);
    assertEquals([(await stack.dispatch()).purged, await countRows(stack, kind)], [1, 0]);
  });
}

Deno.test("free places and budgets keep what may still be told late, for 60 and for 30 days", async () => {
  await using stack = await startMessagingStack();
  const { instanceId } = await stack.createTenant();
  const ages = ["59 days 23 hours", "60 days 1 hour"];
  await stack.admin`
    insert into messaging.free_service_messages (message_id, instance_id, month, delivered_at)
    select gen_random_uuid(), ${instanceId}, '2026-01-01', now() - age
    from unnest(${ages}::interval[]) as age`;
  const lags = ["29 days 23 hours", "30 days 1 hour"];
  await stack.admin`
    insert into messaging.budget_under_way (message_id, instance_id, sent_at, amount)
    select gen_random_uuid(), ${instanceId}, now() - lag, 1
    from unnest(${lags}::interval[]) as lag`;
  const pass = await stack.database.rpc("purge_expired", { maxRows: 1_000 });
  assertEquals(pass, { purged: 2, isComplete: true });
  assertEquals([
    await countRows(stack, "free_service_messages"),
    await countRows(stack, "budget_under_way"),
  ], [1, 1]);
});

Deno.test("what waits in the outbox stays however old it is, and so do messages and contacts", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.send(tenant, { phone: "5511987654321", messageType: "text", message: "Olá" });
  await stack.admin`
    insert into messaging.outbox (workspace_id, kind, payload, run_at)
    values (${tenant.workspaceId}, 'assignment_email', '{}', now() + interval '10 years')`;
  await letTimePass(stack.admin, 400 * day);
  const [{ events } = {}] = await stack.admin`
    select count(*)::int as events from messaging.events`;
  assertEquals((await stack.dispatch()).purged, events, "nothing but the events");
  const [counts] = await stack.admin`
    select (select count(*)::int from messaging.messages) as messages,
      (select count(*)::int from messaging.contacts) as contacts,
      (select count(*)::int from messaging.outbox) as outbox`;
  assertEquals({ ...counts }, { messages: 1, contacts: 1, outbox: 1 });
});

Deno.test("one pass deletes no more than its bound; the oldest go first; a long run deletes the rest", async () => {
  await using stack = await startMessagingStack();
  await stack.admin`
    insert into messaging.idempotency_keys (scope, key, fingerprint, created_at)
    select 'scope', n::text, 'f', now() - interval '30 days' + n * interval '1 second'
    from generate_series(1, 5000) as n`;
  const pass = await stack.database.rpc("purge_expired", { maxRows: 1_000 });
  assertEquals(pass, { purged: 1_000, isComplete: false });
  const [oldest] = await stack.admin`
    select min(key::int) as key, count(*)::int as count from messaging.idempotency_keys`;
  assertEquals({ ...oldest }, { key: 1_001, count: 4_000 });
  assertEquals((await stack.dispatch()).purged, 2_000, "a short run makes one pass");
  assertEquals((await stack.dispatch({ durationMs: 5_500 })).purged, 2_000);
  assertEquals(await countRows(stack, "idempotency_keys"), 0);
});

Deno.test("two dispatchers purge side by side: what one deletes the other passes over", async () => {
  await using stack = await startMessagingStack();
  await stack.admin`
    insert into messaging.idempotency_keys (scope, key, fingerprint, created_at)
    select 'scope', n::text, 'f', now() - interval '2 days' from generate_series(1, 1000) as n`;
  const passes = await Promise.all(
    [1, 2, 3, 4].map(() => stack.database.rpc("purge_expired", { maxRows: 400 })),
  );
  const purged = passes.reduce((sum, pass) => sum + pass.purged, 0);
  assertEquals(await countRows(stack, "idempotency_keys"), 1_000 - purged);
  assert(purged >= 400);
});

Deno.test("a pass over a hundred thousand rows of which none is over reads indexes only", async () => {
  await using stack = await startMessagingStack();
  await stack.admin`
    insert into messaging.idempotency_keys (scope, key, fingerprint)
    select 'scope', n::text, 'f' from generate_series(1, 100000) as n`;
  await stack.admin`analyze messaging.idempotency_keys`;
  const scansBefore = await countSequentialScans(stack);
  await stack.database.rpc("purge_expired", { maxRows: 1_000 });
  assertEquals(await countSequentialScans(stack), scansBefore);
});

Deno.test("a pass after a burst reads each row once, though the table was empty when it was analyzed", async () => {
  await using stack = await startMessagingStack();
  await stack.admin`alter table messaging.idempotency_keys set (autovacuum_enabled = off)`;
  await insertKeys(stack);
  await stack.admin`delete from messaging.idempotency_keys`;
  await stack.admin`vacuum (analyze, truncate off) messaging.idempotency_keys`;
  await insertKeys(stack);
  const readBefore = await countRowsRead(stack);
  await stack.database.rpc("purge_expired", { maxRows: 1_000 });
  const read = await countRowsRead(stack) - readBefore;
  assert(read <= 3_000, `${read} rows read to delete 1,000`);

  async function insertKeys({ admin }: MessagingStack): Promise<void> {
    await admin`
      insert into messaging.idempotency_keys (scope, key, fingerprint, created_at)
      select 'scope', n::text, 'f', now() - interval '2 days' from generate_series(1, 2000) as n`;
  }
});

async function writeRow(stack: MessagingStack, kind: (typeof periods)[number][0]): Promise<void> {
  const { instanceId, workspaceId } = await stack.createTenant();
  switch (kind) {
    case "idempotency_keys":
      await stack.admin`
        insert into messaging.idempotency_keys (scope, key, fingerprint) values ('s', 'k', 'f')`;
      break;
    case "provider_events":
      await stack.admin`
        insert into messaging.provider_events (instance_id, payload) values (${instanceId}, '{}')`;
      break;
    case "unmatched_statuses":
      await stack.admin`
        insert into messaging.unmatched_statuses (instance_id, provider_message_id, status, occurred_at)
        values (${instanceId}, 'p', 'sent', now())`;
      break;
    case "outbox that is done":
    case "outbox that is dead":
      await stack.admin`
        insert into messaging.outbox (workspace_id, kind, payload, status, settled_at)
        values (${workspaceId}, 'assignment_email', '{}', ${kind.slice(-4)}, now())`;
  }
}

async function countRows(stack: MessagingStack, kind: string): Promise<number> {
  const table = stack.admin(kind.split(" ")[0] ?? "");
  const [row] = await stack.admin`select count(*)::int as count from messaging.${table}`;
  return row?.["count"];
}

async function countRowsRead(stack: MessagingStack): Promise<number> {
  await stack.admin`select pg_stat_force_next_flush()`;
  const [row] = await stack.admin`
    select (seq_tup_read + idx_tup_fetch)::int as count
    from pg_stat_user_tables where relname = 'idempotency_keys'`;
  return row?.["count"];
}

/** Sequential scans of a table that only the dispatcher reads. Sessions report counts when told to. */
async function countSequentialScans(stack: MessagingStack): Promise<number> {
  await stack.admin`select pg_stat_force_next_flush()`;
  const [row] = await stack.admin`
    select seq_scan::int as count from pg_stat_user_tables where relname = 'idempotency_keys'`;
  return row?.["count"];
}
