import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { applyMigrations } from "../../../supabase/host/migrations.ts";
import { createPlatformRoles } from "../../../supabase/host/roles.ts";
import { compareCatalogues, readCatalogue } from "../../../supabase/tools/migrations/catalogue.ts";
import { buildSchemas } from "../../../supabase/tools/migrations/scratch_databases.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createEmptyDatabase, createTestDatabase } from "../../support/database/database.ts";
import { removeTestParts } from "../../support/database/template_database.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const migrations = join(root, "migrations");
const schemas = join(root, "supabase/schemas");

Deno.test("migrations and schemas build the same database", async () => {
  await using migrated = await createTestDatabase();
  await removeTestParts(migrated.admin);
  await using described = await createEmptyDatabase();
  await createPlatformRoles(described.admin);
  await buildSchemas(described.admin, schemas);
  const [actual, expected] = [
    await readCatalogue(migrated.admin),
    await readCatalogue(described.admin),
  ];
  assert(actual.relations.size > 0, "there are no tables");
  assertEquals(compareCatalogues(actual, expected), []);
});

Deno.test("a comparison of catalogues finds the difference of a single comment", async () => {
  await using database = await createTestDatabase();
  await database.admin`create table public.probe (id int)`;
  const without = await readCatalogue(database.admin);
  await database.admin`comment on column public.probe.id is 'a probe'`;
  const commented = await readCatalogue(database.admin);
  assertEquals(
    compareCatalogues(without, commented).map(({ section, identity }) => [section, identity]),
    [["columns", "public.probe.id"]],
  );
});

Deno.test("migrations applied a second time do nothing", async () => {
  await using database = await createTestDatabase();
  const before = await readCatalogue(database.admin);
  assertEquals(await applyMigrations(database.admin, migrations), []);
  assertEquals(compareCatalogues(before, await readCatalogue(database.admin)), []);
});

Deno.test("a run reads the applied texts once, however many migrations there are", async () => {
  await using database = await createTestDatabase();
  const reads: string[] = [];
  const sql = postgres(database.url, {
    max: 1,
    debug: (_connection, query) => {
      if (/\bstatements\b.*from supabase_migrations/s.test(query)) reads.push(query);
    },
  });
  try {
    await applyMigrations(sql, migrations);
  } finally {
    await sql.end();
  }
  assertEquals(reads.length, 1);
});

Deno.test("of two concurrent runs on a new database one applies each migration, and both succeed", async () => {
  await using database = await createEmptyDatabase();
  await createPlatformRoles(database.admin);
  const clients = [1, 2].map(() => postgres(database.url, { max: 1, onnotice: () => {} }));
  try {
    const applied = await Promise.all(clients.map((sql) => applyMigrations(sql, migrations)));
    assertEquals(
      applied.flat().sort().map((name) => `${name}.sql`),
      listSqlFiles(migrations),
    );
  } finally {
    await Promise.all(clients.map((sql) => sql.end()));
  }
});

Deno.test("every migration is recorded under the name the Supabase CLI gives it", async () => {
  await using database = await createTestDatabase();
  const records = await database.admin<{ file: string }[]>`
    select version || '_' || name || '.sql' as file
    from supabase_migrations.schema_migrations order by version`;
  assertEquals(records.map((record) => record.file), listSqlFiles(migrations));
});

Deno.test("the Supabase CLI finds the migrations of the repository", () => {
  assertEquals(listSqlFiles(join(root, "supabase/migrations")), listSqlFiles(migrations));
});

function listSqlFiles(folder: string): string[] {
  const names = [...Deno.readDirSync(folder)].map((entry) => entry.name);
  return names.filter((name) => name.endsWith(".sql")).sort();
}
