import { applyMigrations } from "../../supabase/host/migrations.ts";
import { assertEquals } from "../support/assert.ts";
import { createEmptyDatabase } from "../support/database/database.ts";

Deno.test("a migration that meets a request's locks, or is the victim of a deadlock, is applied again", async () => {
  await using database = await createEmptyDatabase();
  const folder = await Deno.makeTempDir({ prefix: "migration-locks-" });
  try {
    await database.admin.unsafe("create table first (id int); create table second (id int)");
    await Deno.writeTextFile(
      `${folder}/20260101000000_wait_briefly.sql`,
      "set local lock_timeout = '50ms';\nalter table first add column name text;\n",
    );
    await Deno.writeTextFile(
      `${folder}/20260101000001_cross.sql`,
      "alter table first add column a int;\nselect pg_sleep(0.2);\nalter table second add column a int;\n",
    );
    const holding = Promise.withResolvers<void>();
    const request = database.admin.begin(async (transaction) => {
      await transaction`insert into first values (1)`;
      holding.resolve();
      await transaction`select pg_sleep(0.3)`;
    });
    await holding.promise;
    const applying = applyMigrations(database.admin, folder);
    await request;
    // Holds the second table and asks for the first, which the next migration takes before it.
    const crossing = database.admin.begin(async (transaction) => {
      await transaction`set local deadlock_timeout = '10s'`;
      await transaction`insert into second values (1)`;
      await transaction`select pg_sleep(0.6)`;
      await transaction`insert into first values (2)`;
    });
    assertEquals(await applying, ["20260101000000_wait_briefly", "20260101000001_cross"]);
    await crossing;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
