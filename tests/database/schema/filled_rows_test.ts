/** The fixture of the tests that compare how a row is read: it must know every column. */

import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { createFilledRows, filledTables } from "../../support/fixtures/filled_rows.ts";

/** Columns that no row of the table has filled: null or the default in all of them. */
async function listUnfilledColumns({ admin }: TestDatabase, table: string): Promise<string[]> {
  const columns = await admin<{ name: string; standard: string | null }[]>`
    select column_name as name, column_default as standard from information_schema.columns
    where table_schema = 'messaging' and table_name = ${table}`;
  const unfilled: string[] = [];
  for (const { name, standard } of columns) {
    const [filled] = await admin.unsafe(
      `select from messaging.${table} t
       where t.${name} is not null and t.${name} is distinct from (${standard ?? "null"}) limit 1`,
    );
    if (filled === undefined) unfilled.push(name);
  }
  return unfilled;
}

for (const table of filledTables) {
  Deno.test(`every column of ${table} is in the filled rows, with another value than its default`, async () => {
    await using database = await createTestDatabase();
    const { addMessage } = await createFilledRows(database.admin);
    await addMessage();
    assertEquals(await listUnfilledColumns(database, table), []);
  });
}

Deno.test("a new column is found missing in the filled rows", async () => {
  await using database = await createTestDatabase({ own: true });
  await createFilledRows(database.admin);
  await database.admin`alter table messaging.contacts add column birthday date,
    add column is_tall boolean not null default false`;
  assertEquals(await listUnfilledColumns(database, "contacts"), ["birthday", "is_tall"]);
});
