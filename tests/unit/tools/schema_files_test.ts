import {
  orderSchemaFiles,
  SchemaError,
  type SchemaFile,
  type SchemaOrder,
} from "../../../supabase/tools/migrations/schema_files.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";

const order: SchemaOrder = {
  first: ["schema.sql", "one/internal/key.sql"],
  areas: ["one", "two"],
  last: ["two/start.sql"],
};

const files = [
  file("one/internal/check.sql"),
  file("one/internal/key.sql"),
  file("one/rpc/ask.sql"),
  file("one/tables/a.sql", "id uuid references messaging.b"),
  file("schema.sql"),
  file("two/rpc/c.sql"),
  file("two/start.sql"),
  file("two/tables/b.sql", "id uuid, parent uuid references messaging.b"),
];

function file(path: string, text = ""): SchemaFile {
  return { path, text };
}

function assertRefused(files: readonly SchemaFile[], message: string): void {
  assertThrows(() => orderSchemaFiles(order, files), SchemaError, message);
}

Deno.test("tables come first, each after those it references, then the functions of each area", () => {
  assertEquals(orderSchemaFiles(order, files).map(({ path }) => path), [
    "schema.sql",
    "one/internal/key.sql",
    "two/tables/b.sql",
    "one/tables/a.sql",
    "one/internal/check.sql",
    "one/rpc/ask.sql",
    "two/rpc/c.sql",
    "two/start.sql",
  ]);
});

Deno.test("a file outside the areas, or outside an area's folders, is rejected", () => {
  assertRefused([...files, file("three/tables/d.sql")], "three/tables/d.sql is in no area");
  assertRefused([...files, file("two/e.sql")], "two/e.sql is in no area");
});

Deno.test("a named file that does not exist is refused", () => {
  const without = files.filter(({ path }) => path !== "two/start.sql");
  assertRefused(without, "two/start.sql is named in areas.json and does not exist");
});

Deno.test("tables that reference each other are refused", () => {
  const circle = [...files, file("one/tables/c.sql", "references messaging.d")];
  assertRefused(
    [...circle, file("one/tables/d.sql", "references messaging.c")],
    "tables reference each other: c, d",
  );
});
