import { splitStatements } from "../../supabase/host/sql_statements.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { readTextFiles, type TextFile } from "./repository.ts";
import { findUnrestrictedWrites } from "./unrestricted_writes.ts";

const replacing = /^(?:--[^\n]*\n|\s)*create or replace function ([\w.]+)/i;

async function readSql(folder: string): Promise<TextFile[]> {
  return (await readTextFiles(folder)).filter(({ path }) => path.endsWith(".sql"));
}

/** What the files leave: of a function that a later file replaces, only the last text. */
function keepLastTexts(files: readonly TextFile[]): TextFile[] {
  const kept = new Map<string, TextFile>();
  for (const { path, text } of files) {
    for (const statement of splitStatements(text)) {
      const [, name] = replacing.exec(statement.text) ?? [];
      const line = `${path}:${statement.line}`;
      kept.set(name ?? line, { path: line, text: statement.text });
    }
  }
  return [...kept.values()];
}

function findFaults(files: readonly TextFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    findUnrestrictedWrites(text).map((found) => `${path}: ${found}`)
  );
}

Deno.test("no UPDATE and no DELETE of the schemas and the migrations lacks a WHERE", async () => {
  const schemas = await readSql("supabase/schemas");
  const statements = keepLastTexts(await readSql("migrations"));
  assert(schemas.length > 200, "the schemas were read");
  assert(statements.length > 500, "the migrations were read");
  assertEquals(findFaults(schemas), []);
  assertEquals(findFaults(statements), []);
});

Deno.test("a write without WHERE is found in a function, a CTE and a dynamic statement, and nothing else is", () => {
  const found = (sql: string): string[] => findUnrestrictedWrites(sql);
  assertEquals(found("create function f() as $$ begin update a.b x set c = 1; end $$;"), [
    "update a.b x set",
  ]);
  assertEquals(found("with gone as (delete from a returning id) select 1 from gone where true"), [
    "delete from",
  ]);
  assertEquals(found("update a set b = (select c from d where true) -- where\n"), ["update a set"]);
  assertEquals(found("update a set b = 'where', c = ' where ';"), ["update a set"]);
  assertEquals(found("execute 'delete from a'; execute format('update %I set b = ''c''', d);"), [
    "delete from",
    "update %I set",
  ]);
  for (
    const restricted of [
      "update only a as b set c = (select 1) from d where d.id = b.id;",
      "with gone as (delete from a where b returning id) select 1;",
      "insert into a values (1) on conflict (b) do update set c = 1;",
      "select 1 from a for no key update skip locked;",
      "create trigger t before update or delete on a execute function f();",
      "-- update a set b = 1;\ngrant select, insert, update, delete on a to b;",
      "raise exception 'cannot delete from here where it is used'",
    ]
  ) assertEquals(found(restricted), [], restricted);
});

Deno.test("of a function that a later migration replaces, the last text counts", () => {
  const define = (body: string): string =>
    `create or replace function a.f() returns void language sql as $$ ${body} $$;`;
  const files = ["update a set b = 1", "update a set b = 1 where c"].map((body, index) => ({
    path: `${index}.sql`,
    text: `select 1;\n${define(body)}`,
  }));
  assertEquals(findFaults(keepLastTexts(files)), []);
  assertEquals(findFaults(keepLastTexts(files.toReversed())), ["0.sql:2: update a set"]);
});
