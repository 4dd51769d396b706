import {
  functionName,
  orderSchemaFiles,
  SchemaError,
  type SchemaFile,
  type SchemaOrder,
  splitFunctions,
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

/** A function with a bound body, which must be created after what it calls. */
function bound(name: string, body: string): string {
  return `-- What ${name} says.\ncreate or replace function messaging.${name}(a text)
returns text
language sql
stable
return ${body};\n`;
}

Deno.test("functions are sorted by what they call, whichever files hold them", () => {
  const text = `${bound("shown", "messaging.cut(messaging.named(a))")}\n${
    bound("cut", "left(messaging.named(a), 9)")
  }`;
  const ordered = orderSchemaFiles({ first: [], areas: ["one", "two"], last: [] }, [
    file("one/rules/shown.sql", text),
    file("two/rules/named.sql", bound("named", "trim(a)")),
  ]);
  assertEquals(ordered.map(functionName), [
    "messaging.named",
    "messaging.cut",
    "messaging.shown",
  ]);
});

Deno.test("bound functions that call each other are refused, in one file too", () => {
  const text = bound("one", "messaging.other(a)") + bound("other", "messaging.one(a)");
  assertThrows(
    () =>
      orderSchemaFiles({ first: [], areas: ["one"], last: [] }, [file("one/rules/one.sql", text)]),
    SchemaError,
    "messaging.one, messaging.other, messaging.one",
  );
});

Deno.test("a file's functions come apart with their comments and grants, and before its triggers", () => {
  const trigger = "create trigger a_follow after update on messaging.a execute function f();";
  const head = "-- Follows a.\ncreate or replace function messaging.follow()\nreturns trigger";
  const body = "language plpgsql\nas $$\nbegin\n  return new;\nend;\n$$;";
  const grant = "revoke execute on function messaging.follow() from service_role;";
  const text = `${trigger}\n\n${head}\n${body}\n${grant}\n\n${bound("named", "trim(a)")}`;
  assertEquals(splitFunctions(file("one/triggers.sql", text)).map((part) => part.text), [
    `${head}\n${body}\n\n${grant}`,
    bound("named", "trim(a)").trim(),
    trigger,
  ]);
  const single = file("one/internal/follow.sql", `${head}\n${body}\n${grant}\n`);
  assertEquals(splitFunctions(single), [single]);
  const grants = file("one/tables/a.sql", `${trigger}\n${grant}\n`);
  assertEquals(splitFunctions(grants), [grants]);
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
