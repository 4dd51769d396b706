import { applyMigrations } from "../../supabase/host/migrations.ts";
import { assertEquals } from "../support/assert.ts";
import { createEmptyDatabase } from "../support/database/database.ts";
import { isWaiting } from "../support/database/sessions.ts";
import { waitUntil } from "../support/wait_until.ts";
import type { Sql } from "postgres";

Deno.test("a migration that meets a request's locks, or is the victim of a deadlock, is applied again", async () => {
  await using database = await createEmptyDatabase();
  const folder = await Deno.makeTempDir({ prefix: "migration-locks-" });
  try {
    await database.admin.unsafe("create table first (id int); create table second (id int)");
    await Deno.writeTextFile(
      `${folder}/20260101000000_wait_briefly.sql`,
      "set local lock_timeout = '300ms';\nalter table first add column name text;\n",
    );
    await Deno.writeTextFile(
      `${folder}/20260101000001_cross.sql`,
      "alter table first add column a int;\nselect pg_advisory_xact_lock(7);\nalter table second add column a int;\n",
    );
    // The second migration stops between its tables until this lock is free.
    const between = await database.admin.reserve();
    await between`select pg_advisory_lock(7)`;
    const holding = Promise.withResolvers<void>();
    const request = database.admin.begin(async (transaction) => {
      await transaction`insert into first values (1)`;
      holding.resolve();
      await waitUntil(() => isWaiting(database.admin), { what: "the migration to meet the lock" });
      // Not before it has given up: else it would have waited, and not been applied again.
      await waitUntil(async () => !await isWaiting(database.admin), { what: "the lock time-out" });
    });
    await holding.promise;
    const applying = applyMigrations(database.admin, folder);
    await request;
    await waitUntil(() => isWaitingFor(database.admin, "advisory"), {
      what: "the migration between its tables",
    });
    // Holds the second table and asks for the first, which the migration holds.
    const crossing = database.admin.begin(async (transaction) => {
      await transaction`set local deadlock_timeout = '60s'`;
      await transaction`insert into second values (1)`;
      await transaction`insert into first values (2)`;
    });
    await waitUntil(() => isWaitingFor(database.admin, "relation"), {
      what: "the request for the first table",
    });
    await between`select pg_advisory_unlock(7)`;
    between.release();
    assertEquals(await applying, ["20260101000000_wait_briefly", "20260101000001_cross"]);
    await crossing;
    // A session reports what it has counted a little later.
    assertEquals(
      await waitUntil(() => countDeadlocks(database.admin), { what: "the deadlock's count" }),
      1,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

async function countDeadlocks(admin: Sql): Promise<number> {
  const [row] = await admin<{ count: number }[]>`
    select deadlocks::integer as count from pg_stat_database where datname = current_database()`;
  return row?.count ?? 0;
}

/** Whether some session waits for a lock of this kind. */
async function isWaitingFor(admin: Sql, kind: "advisory" | "relation"): Promise<boolean> {
  const rows = await admin`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and wait_event = ${kind}`;
  return rows.length > 0;
}
