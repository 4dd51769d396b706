import { MigrationError } from "../../../supabase/host/migration_files.ts";
import { chooseMigrationName } from "../../../supabase/tools/migrations/open_migrations.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";

const open = { name: "add_shoes", version: "20300506070809", names: [] };

Deno.test("a migration has the ordered name, else the open one's", () => {
  const order = { name: "add_hats", step: "expand" } as const;
  assertEquals(chooseMigrationName(order, open, "1.1.0"), "add_hats");
  assertEquals(chooseMigrationName(order, undefined, "1.1.0"), "add_hats");
  assertEquals(chooseMigrationName({ step: "expand" }, open, "1.1.0"), "add_shoes");
  assertEquals(chooseMigrationName({ step: "contract" }, open, "1.1.0"), "add_shoes");
});

Deno.test("the first migration after a release is named after the next one", () => {
  assertEquals(chooseMigrationName({ step: "expand" }, undefined, "1.9.3"), "release_1_10_0");
});

Deno.test("a contract migration is begun by a name that a person gives", () => {
  assertThrows(
    () => chooseMigrationName({ step: "contract" }, undefined, "1.1.0"),
    MigrationError,
    "`deno task db:migration <name> --contract`",
  );
});
