import { splitStatements } from "../../../supabase/host/sql_statements.ts";
import { assertEquals } from "../../support/assert.ts";

const pieces: readonly [what: string, file: string, statements: readonly string[]][] = [
  ["two statements", "select 1;\nselect 2;\n", ["select 1", "select 2"]],
  ["a last one without a semicolon", "select 1; select 2", ["select 1", "select 2"]],
  ["empty ones", ";;\n ; select 1;;", ["select 1"]],
  ["a quoted semicolon", "select 'a;''b;', \"c;\";select 2", [
    "select 'a;''b;', \"c;\"",
    "select 2",
  ]],
  ["an escaped quote", "select E'it\\';s'; select 2", ["select E'it\\';s'", "select 2"]],
  ["a name that ends in e before a quote", "select type'\\';select 2", [
    "select type'\\'",
    "select 2",
  ]],
  ["dollar quotes", "do $$ begin; end $$; do $a$ $$; $a$;", [
    "do $$ begin; end $$",
    "do $a$ $$; $a$",
  ]],
  ["a parameter, which is no dollar quote", "select $1; select $2", ["select $1", "select $2"]],
  ["comments", "-- a; b\nselect 1 /* c; /* d; */ ; */;select 2", [
    "-- a; b\nselect 1 /* c; /* d; */ ; */",
    "select 2",
  ]],
  [
    "a body in standard SQL",
    "create function f() begin atomic select case 1 when 1 then 2 end; end; x",
    [
      "create function f() begin atomic select case 1 when 1 then 2 end; end",
      "x",
    ],
  ],
];

for (const [what, file, statements] of pieces) {
  Deno.test(`SQL is cut into statements around ${what}`, () => {
    assertEquals(splitStatements(file).map((statement) => statement.text), [...statements]);
  });
}

Deno.test("every statement has the line where it begins", () => {
  const file = "\nselect 1;\n\n-- two\nselect\n 2; select 3;\n\n select 4";
  assertEquals(splitStatements(file).map((statement) => statement.line), [2, 4, 6, 8]);
});
