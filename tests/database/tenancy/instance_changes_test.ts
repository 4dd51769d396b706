import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { findMiddayZone } from "../../support/midday_zone.ts";
import { waitUntil } from "../../support/wait_until.ts";

// deno-lint-ignore no-explicit-any -- what SQL functions return is what is asserted
type Json = any;

async function call(sql: Sql, name: string, request: unknown): Promise<Json> {
  const [row] = await sql.unsafe(`select public.${name}($1::text::jsonb) as answer`, [
    JSON.stringify(request),
  ]);
  return row?.["answer"];
}

/** An instance with an always open window. */
async function createInstance(sql: Sql, timeZone = "UTC"): Promise<string> {
  const { workspaceId } = await call(sql, "create_workspace", { name: "A" });
  const { instanceId } = await call(sql, "create_instance", {
    instanceId: crypto.randomUUID(),
    workspaceId,
    name: "A",
    provider: "zapi",
    sealedProviderConfig: "v1",
    embedKey: `emb_${crypto.randomUUID()}`,
    connectedPhone: "5511988887777",
    timeZone,
    sendWindow: { start: "00:00", end: "24:00", days: [1, 2, 3, 4, 5, 6, 7], holidays: [] },
    onUnconfirmed: "hold",
    requestsPerMinute: 18_000,
  });
  return instanceId;
}

function queueMessage(sql: Sql, instanceId: string): Promise<Json> {
  return call(sql, "accept_message", {
    instanceId,
    phone: "5511977776666",
    idempotency: null,
    assignment: null,
    message: { messageType: "text", message: "Oi" },
    delivery: { queued: true, delaySeconds: 0, intervalSeconds: 60 },
  });
}

function readDispatch(sql: Sql, instanceId: string): Promise<Json> {
  return sql`
    select next_due_at = (select min(scheduled_at) from messaging.message_queue q
        where q.instance_id = d.instance_id) as is_due_at_head,
      next_due_at::text, hold_until::text
    from messaging.dispatch d where instance_id = ${instanceId}`.then((rows) => ({ ...rows[0] }));
}

Deno.test("new credentials end the hold of an instance, and the head of its queue becomes due", async () => {
  await using database = await createTestDatabase();
  const { sql } = database;
  const instanceId = await createInstance(sql);
  await queueMessage(sql, instanceId);
  const hold = "2099-01-01 00:00:00+00";
  await database.admin`update messaging.dispatch set hold_until = ${hold}, next_due_at = ${hold}`;

  await call(sql, "update_instance", { instanceId, changes: { name: "B" } });
  assertEquals(await readDispatch(sql, instanceId), {
    is_due_at_head: false,
    next_due_at: hold,
    hold_until: hold,
  });
  await call(sql, "update_instance", {
    instanceId,
    changes: { sealedProviderConfig: "v2", gatewayInstanceId: "3C02" },
  });
  const { next_due_at: _, ...freed } = await readDispatch(sql, instanceId);
  assertEquals(freed, { is_due_at_head: true, hold_until: "-infinity" });
});

Deno.test("a changed window wakes the queue immediately", async () => {
  await using database = await createTestDatabase();
  const { sql } = database;
  const instanceId = await createInstance(sql);
  for (let count = 0; count < 3; count++) await queueMessage(sql, instanceId);
  // The state after a claim that found the window closed.
  await sql`update messaging.dispatch set next_due_at = '2099-01-01'`;
  await call(sql, "update_instance", {
    instanceId,
    changes: { sendWindow: { days: [7], holidays: ["2026-12-25"] }, timeZone: "Asia/Kolkata" },
  });
  assertEquals((await readDispatch(sql, instanceId)).is_due_at_head, true);
});

Deno.test("a change waits for an enqueue in progress and sees its message", async () => {
  await using database = await createTestDatabase();
  const { sql } = database;
  const instanceId = await createInstance(sql);
  const enqueued = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const enqueuer = database.connect({ max: 1 });
  const enqueue = enqueuer.begin(async (transaction) => {
    await queueMessage(transaction as unknown as Sql, instanceId);
    enqueued.resolve();
    await release.promise;
  });
  await enqueued.promise;
  const change = call(sql, "update_instance", { instanceId, changes: { name: "B" } });
  await waitUntil(async () => {
    const rows = await database.admin`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
        and query like '%update_instance%'`;
    return rows.length === 1;
  });
  release.resolve();
  await Promise.all([enqueue, change]);
  assertEquals((await readDispatch(sql, instanceId)).is_due_at_head, true);
});

Deno.test("two window changes that are valid separately but not together leave a valid window", async () => {
  await using database = await createTestDatabase();
  const { sql } = database;
  const instanceId = await createInstance(sql);
  const change = (sendWindow: object): Promise<Json> =>
    call(sql, "update_instance", { instanceId, changes: { sendWindow } });
  const answers = await Promise.all([change({ start: "15:00" }), change({ end: "10:00" })]);
  assertEquals(answers.filter((answer) => answer.issues !== undefined).length, 1);
  const [row] = await sql`select window_end > window_start as is_open from messaging.instances`;
  assertEquals(row?.["is_open"], true);
});

Deno.test("an instance is created completely or not at all", async () => {
  await using database = await createTestDatabase();
  const { sql, admin } = database;
  await admin`alter table messaging.dispatch add constraint refuse_all check (instance_id is null)`;
  const failed = await createInstance(sql).then(() => false, () => true);
  assert(failed);
  const [row] = await sql`
    select (select count(*)::int from messaging.instances) + (select count(*)::int from messaging.pacing) as count`;
  assertEquals(row?.["count"], 0);
});

Deno.test("concurrent creations of an operator with one e-mail create one", async () => {
  await using database = await createTestDatabase();
  const { sql } = database;
  const { workspaceId } = await call(sql, "create_workspace", { name: "A" });
  const emails = Array.from({ length: 10 }, (_, i) => i % 2 ? "ana@b.example" : "ANA@b.example");
  const outcomes = await Promise.allSettled(
    emails.map((email) => call(sql, "create_operator", { workspaceId, name: "Ana", email })),
  );
  const refusals = outcomes.filter((outcome) => outcome.status === "rejected");
  assertEquals(refusals.map(({ reason }) => reason.code), Array(9).fill("MI017"));
  const [row] = await sql`select count(*)::int from messaging.operators`;
  assertEquals(row?.["count"], 1);
});

Deno.test("a narrower window moves the slots outside it one interval apart, and the slots after them", async () => {
  await using database = await createTestDatabase();
  const { sql } = database;
  // Where it is noon: no midnight comes between the slots.
  const timeZone = findMiddayZone();
  const instanceId = await createInstance(sql, timeZone);
  for (let count = 0; count < 3; count++) await queueMessage(sql, instanceId);
  const change = (sendWindow: Json): Promise<Json> =>
    call(sql, "update_instance", { instanceId, changes: { sendWindow } });
  const readSlots = async (): Promise<number[]> => {
    const rows = await sql`
      select q.scheduled_at, q.scheduled_at = m.scheduled_for as is_told
      from messaging.message_queue q join messaging.messages m on m.id = q.message_id
      order by q.position`;
    assertEquals(rows.map(({ is_told }) => is_told), rows.map(() => true));
    return rows.map(({ scheduled_at }) => scheduled_at.getTime());
  };
  const before = await readSlots();
  await change({ start: "00:00", end: "24:00" });
  assertEquals(await readSlots(), before, "nothing lies outside");

  const [tomorrow] = await sql<{ day: number; date: string; beginsAt: Date }[]>`
    select extract(isodow from date)::int as day, date::text,
      date::timestamp at time zone ${timeZone} as "beginsAt"
    from (
      select (${new Date(before[0]!)}::timestamptz at time zone ${timeZone})::date + 1 as date
    ) as tomorrow`;
  assert(tomorrow !== undefined);
  const beginsAtMs = tomorrow.beginsAt.getTime();
  await change({ days: [tomorrow.day] });
  await queueMessage(sql, instanceId);
  assertEquals(await readSlots(), [0, 60_000, 120_000, 180_000].map((ms) => beginsAtMs + ms));
  const holders = await sql`select held_by from messaging.messages order by created_at`;
  assertEquals(holders.map(({ held_by }) => held_by), [
    ...["window", "interval", "interval", "interval"],
  ]);

  const moved = await readSlots();
  await change({ days: [1, 2, 3, 4, 5, 6, 7] });
  assertEquals(await readSlots(), moved, "a wider window moves nothing");
  await change({ holidays: [tomorrow.date] });
  assertEquals((await readSlots())[0], beginsAtMs + 86_400_000);
});

Deno.test("no message is claimed while the slots of its instance are being moved", async () => {
  await using database = await createTestDatabase();
  const { sql } = database;
  const instanceId = await createInstance(sql);
  await queueMessage(sql, instanceId);
  const claim = (): Promise<Json> =>
    call(sql, "claim_due_messages", { maxMessages: 10, leaseSeconds: 30 });
  await database.admin.begin(async (transaction) => {
    await call(transaction as unknown as Sql, "update_instance", {
      instanceId,
      changes: { sendWindow: { holidays: ["2099-01-01"] } },
    });
    assertEquals((await claim()).messages, []);
  });
  assertEquals((await claim()).messages.length, 1);
});
