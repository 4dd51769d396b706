import { join } from "node:path";
import { findFilesAheadOfMigrations } from "../../supabase/tools/migrations/schema_drift.ts";
import { assertEquals } from "../support/assert.ts";

const table =
  "create table messaging.pets (\n  id uuid primary key,\n  kind text check (kind in ('cat', 'dog'))\n);\n";
const reading = (column: string): string =>
  `-- Reads.\ncreate or replace function public.read_pets(request jsonb)\nreturns jsonb\n` +
  `language sql\nas $$ select to_jsonb(p.${column}) from messaging.pets p $$;\n`;

async function findAhead(
  schemas: { table: string; reading: string },
  migrations: readonly string[],
): Promise<string[]> {
  const root = await Deno.makeTempDir({ prefix: "messaging-schema-drift-" });
  const folders = { schemas: join(root, "schemas"), migrations: join(root, "migrations") };
  try {
    await Deno.mkdir(join(folders.schemas, "pets/tables"), { recursive: true });
    await Deno.mkdir(join(folders.schemas, "pets/rpc"));
    await Deno.mkdir(folders.migrations);
    const areas = JSON.stringify({ first: [], areas: ["pets"], last: [] });
    await Deno.writeTextFile(join(folders.schemas, "areas.json"), areas);
    await Deno.writeTextFile(join(folders.schemas, "pets/tables/pets.sql"), schemas.table);
    await Deno.writeTextFile(join(folders.schemas, "pets/rpc/read_pets.sql"), schemas.reading);
    for (const [index, text] of migrations.entries()) {
      await Deno.writeTextFile(join(folders.migrations, `2030010100000${index}_step.sql`), text);
    }
    return await findFilesAheadOfMigrations(folders);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("schemas that the migrations build are not ahead of them", async () => {
  const migrations = [
    table.replace("\n  kind", "\n  name text,\n  kind"),
    reading("name"),
    reading("kind"),
  ];
  assertEquals(await findAhead({ table, reading: reading("kind") }, migrations), []);
});

Deno.test("a function that the newest migration makes otherwise is ahead", async () => {
  const migrations = [table, reading("kind"), reading("id")];
  assertEquals(await findAhead({ table, reading: reading("kind") }, migrations), [
    "pets/rpc/read_pets.sql",
  ]);
});

Deno.test("a column that no migration adds is ahead, one that was added later is not", async () => {
  const aged = table.replace("\n  kind", "\n  age int,\n  kind");
  const schemas = { table: aged, reading: reading("kind") };
  assertEquals(await findAhead(schemas, [table, reading("kind")]), ["pets/tables/pets.sql"]);
  const added = "alter table messaging.pets add column if not exists age int;\n";
  assertEquals(await findAhead(schemas, [table, reading("kind"), added]), []);
});
