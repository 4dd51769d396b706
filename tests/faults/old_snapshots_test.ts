/**
 * What keeps dead rows and log, on servers of their own: sessions and slots of other tests would count too.
 * The metrics are read as service_role, as the function reads them.
 */

import postgres, { type Sql } from "postgres";
import { assert, assertEquals, assertGreater } from "../support/assert.ts";
import { callFunction } from "../support/database/queue_calls.ts";
import { type OwnPostgres, startOwnPostgres } from "../support/database/own_postgres.ts";

type Sample = readonly [name: string, labels: Readonly<Record<string, string>>, value: number];
type Read = (name: string, labels?: Readonly<Record<string, string>>) => number | undefined;

function openSession({ databaseUrl }: OwnPostgres, role = "postgres"): Sql & AsyncDisposable {
  const sql = postgres(databaseUrl, { max: 1, connection: { role }, onnotice: () => {} });
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) });
}

/** The samples of a new snapshot. */
async function readMetrics(service: Sql, admin: Sql): Promise<Read> {
  await admin`update messaging.metric_snapshots
    set fresh_until = '-infinity', taken_at = '-infinity'`;
  const { samples } = await callFunction<{ samples: Sample[] }>(service, "read_metrics", {});
  return (name, labels = {}) =>
    samples.find((sample) =>
      sample[0] === name && JSON.stringify(sample[1]) === JSON.stringify(labels)
    )?.[2];
}

/** Statistics that a session tells after the vacuum would be added to what the vacuum has counted. */
async function vacuumCounted(writer: Sql): Promise<void> {
  await writer`select pg_stat_force_next_flush()`;
  await writer`vacuum messaging.usage_changes`;
}

/** The statements of the page about what an operator does. */
async function readDocumentedQueries(): Promise<string[]> {
  const page = await Deno.readTextFile(
    new URL("../../docs/operations.md", import.meta.url),
  );
  const section = page.split("## Old snapshots and dead rows")[1]?.split("\n## ")[0] ?? "";
  const [, block = ""] = /```sql\n([\s\S]*?)```/.exec(section) ?? [];
  return block.split(";").map((query) => query.trim()).filter((query) => query !== "");
}

Deno.test("metrics tells of a session that holds an old snapshot, of its dead rows, and of a slot without a consumer; the page's queries find them", async () => {
  await using server = await startOwnPostgres({
    name: "of the old snapshots",
    settings: { wal_level: "logical", max_prepared_transactions: "2" },
  });
  const { admin } = server;
  await using service = openSession(server, "service_role");
  await using holder = openSession(server);
  const held = (read: Read, kind: string): number =>
    read("messaging_vacuum_held_transactions", { holder: kind }) ?? -1;
  const quiet = await readMetrics(service, admin);
  assertEquals(quiet("messaging_oldest_snapshot_seconds"), 0);
  assertEquals(quiet("messaging_replication_slot_lag_bytes"), 0);
  assertEquals(
    ["session", "prepared_transaction", "replication_slot"].map((kind) => held(quiet, kind)),
    [0, 0, 0],
  );

  await holder`begin isolation level repeatable read`;
  const [session] = await holder<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await admin`select pg_create_logical_replication_slot('without_consumer', 'pgoutput')`;
  await using writer = openSession(server);
  for (let time = 0; time < 20; time++) {
    await writer`insert into messaging.usage_changes (instance_id, counted_at)
      values (gen_random_uuid(), now())`;
  }
  await writer`delete from messaging.usage_changes`;
  await vacuumCounted(writer);
  await admin.begin(async (transaction) => {
    await transaction`insert into messaging.workspaces (name) values ('third')`;
    await transaction.unsafe("prepare transaction 'forgotten'");
  });
  await admin`insert into messaging.workspaces (name) values ('fourth')`;
  const loaded = await readMetrics(service, admin);
  assertGreater(loaded("messaging_oldest_snapshot_seconds") ?? 0, 0);
  assert(
    loaded("messaging_oldest_transaction_seconds")! >=
      loaded("messaging_oldest_snapshot_seconds")!,
  );
  assertGreater(held(loaded, "session"), 20);
  assertGreater(held(loaded, "prepared_transaction"), 0);
  assertGreater(loaded("messaging_replication_slot_lag_bytes") ?? 0, 1_000);
  // VACUUM has come by and has counted what it could not remove.
  assertEquals(loaded("messaging_table_dead_rows", { table: "usage_changes" }), 20);
  assertGreater(loaded("messaging_table_bytes", { table: "message_queue" }) ?? 0, 0);

  const [sessions, prepared, slots, tables] = await Promise.all(
    (await readDocumentedQueries()).map((query) => admin.unsafe(query)),
  );
  assertEquals(sessions?.[0]?.["pid"], session?.pid);
  assertEquals(prepared?.map(({ gid }) => gid), ["forgotten"]);
  assertEquals(slots?.map((slot) => [slot["slot_name"], slot["active"]]), [
    ["without_consumer", false],
  ]);
  assertEquals(tables?.length, 10);

  // What the page says to do.
  await admin`select pg_terminate_backend(${session!.pid}, 5000)`;
  await admin.unsafe("rollback prepared 'forgotten'");
  await admin`select pg_drop_replication_slot('without_consumer')`;
  const healed = await readMetrics(service, admin);
  assertEquals(healed("messaging_oldest_snapshot_seconds"), 0);
  assertEquals(healed("messaging_replication_slot_lag_bytes"), 0);
  assertEquals([held(healed, "session"), held(healed, "prepared_transaction")], [0, 0]);
  await vacuumCounted(writer);
  const vacuumed = await readMetrics(service, admin);
  assertEquals(vacuumed("messaging_table_dead_rows", { table: "usage_changes" }), 0);
});

Deno.test("where the owner of the tables may not see other roles' sessions, metrics tells no ages of sessions and all else", async () => {
  await using server = await startOwnPostgres({ name: "of the narrow owner" });
  const { admin } = server;
  await using service = openSession(server, "service_role");
  await admin.unsafe(`
    create role narrow_owner;
    grant usage, create on schema messaging to narrow_owner;
    alter function messaging.session_ages(timestamptz) owner to narrow_owner`);
  const read = await readMetrics(service, admin);
  assertEquals(read("messaging_oldest_transaction_seconds"), undefined);
  assertEquals(read("messaging_oldest_snapshot_seconds"), undefined);
  assertEquals(read("messaging_vacuum_held_transactions", { holder: "session" }), undefined);
  assertEquals(read("messaging_replication_slot_lag_bytes"), 0);
  assertEquals(read("messaging_table_dead_rows", { table: "message_queue" }), 0);
});
