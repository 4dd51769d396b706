import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

/** Files run in parallel and share the pool, so a test cannot force the reuse of its database. */
const oidOf = async (sql: Sql): Promise<number> => {
  const [row] = await sql<{ oid: number }[]>`
    select oid from pg_database where datname = current_database()`;
  return row?.oid ?? 0;
};

Deno.test("a reused database has no data, locks or open transactions of the former test", async () => {
  const used = new Set<number>();
  let reuses = 0;
  // Tests of other files may take or drop what is free.
  for (let round = 0; round < 10 || reuses === 0 && round < 500; round++) {
    await using database = await createTestDatabase();
    const oid = await oidOf(database.admin);
    if (used.has(oid)) reuses += 1;
    used.add(oid);
    assertEquals(await countRows(database.admin), 0);
    const [lock] = await database.admin`select pg_try_advisory_lock(4711) as taken`;
    assertEquals(lock?.["taken"], true);
    const [sequence] = await database.admin`
      select bool_and(last_value is null) as "isFresh" from pg_sequences`;
    assertEquals(sequence?.["isFresh"], true);

    await createTenant(database.admin);
    await database.admin`select setval(format('%I.%I', schemaname, sequencename), 99)
      from pg_sequences`;
    const idle = await database.connect({ role: "superuser" }).reserve();
    await idle`begin`;
    await idle`update messaging.instances set name = 'held'`;
    idle.release();
  }
  assert(reuses > 0, "no database was used again");
});

for (
  const [what, statement] of [
    ["a table", "create table public.slip (id int)"],
    ["a column", "alter table messaging.instances add column slip text"],
    ["a privilege", "grant select on messaging.instances to anon"],
    ["a function", "create function public.slip() returns int language sql as 'select 1'"],
    ["a constraint", "alter table messaging.instances add constraint slip check (name <> '')"],
    ["a default", "alter table messaging.instances alter column name set default 'slip'"],
    [
      "a setting",
      "do $$ begin execute format('alter database %I set work_mem = ''1MB''', current_database()); end $$",
    ],
    ["a record of the migrations", "delete from supabase_migrations.schema_migrations"],
  ] as const
) {
  Deno.test(`a database whose ${what} changed is not used again`, async () => {
    const changed = await createTestDatabase();
    const oid = await oidOf(changed.admin);
    await changed.admin.unsafe(statement);
    await changed.drop();
    for (let round = 0; round < 2; round++) {
      await using next = await createTestDatabase();
      assert(await oidOf(next.admin) !== oid);
    }
  });
}

async function countRows(admin: Sql): Promise<number> {
  const tables = await admin<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'messaging')`;
  let count = 0;
  for (const { name } of tables) {
    const [row] = await admin.unsafe(`select count(*)::int as count from ${name}`);
    count += row?.["count"];
  }
  return count;
}
