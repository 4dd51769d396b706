import type { AppliedMigration, Migration } from "../../../supabase/host/migration_files.ts";
import { fileOf, planUpgrade, UpgradeRefusal } from "../../../supabase/deploy/upgrade_plan.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";

const tables = file("20300101000000", "tables");
const addName = file("20300102000000", "add_name");
const dropName = file("20300103000000", "contract_drop_name");
const addMore = file("20300104000000", "add_more");

function file(version: string, name: string): Migration {
  const text = `select '${name}'`;
  return { version, name, path: "", statements: [{ text, line: 1 }] };
}

function applied(...migrations: readonly Migration[]): AppliedMigration[] {
  return migrations.map(({ version, statements }) => ({
    version,
    statements: statements.map(({ text }) => `${text}\n`),
  }));
}

function assertRefused(
  records: readonly AppliedMigration[],
  files: readonly Migration[],
  message: string,
): void {
  assertThrows(() => planUpgrade(records, files), UpgradeRefusal, message);
}

Deno.test("an empty database gets everything: expand migrations first, contract migrations by their own step", () => {
  const { expand, contract } = planUpgrade([], [tables, addName, dropName]);
  assertEquals([expand.map(fileOf), contract.map(fileOf)], [
    ["20300101000000_tables.sql", "20300102000000_add_name.sql"],
    ["20300103000000_contract_drop_name.sql"],
  ]);
});

Deno.test("a database that has everything gets nothing; white space in what was recorded does not count", () => {
  assertEquals(planUpgrade(applied(tables, addName), [tables, addName]), {
    expand: [],
    contract: [],
  });
});

Deno.test("a database that was built from another text of a file is refused", () => {
  const other = { version: tables.version, statements: ["select 'other'"] };
  assertRefused([other], [tables, addName], "another text of 20300101000000_tables.sql");
});

Deno.test("a database of a newer release is refused", () => {
  assertRefused(applied(tables, addName), [tables], "this checkout lacks (20300102000000)");
});

Deno.test("a new file before an applied one is refused", () => {
  assertRefused(
    applied(tables, dropName),
    [tables, addName, dropName],
    "20300102000000_add_name.sql comes before",
  );
});

Deno.test("no release is left out: its contract step comes before what the next release adds", () => {
  assertRefused(
    applied(tables),
    [tables, addName, dropName, addMore],
    "Upgrade release by release",
  );
});

Deno.test("a new database gets a former release's contract step in its place: nothing runs on it yet", () => {
  const { expand, contract } = planUpgrade([], [tables, addName, dropName, addMore]);
  assertEquals([expand, contract], [[tables, addName, dropName, addMore], []]);
});
