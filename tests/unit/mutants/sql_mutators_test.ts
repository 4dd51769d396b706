import { listSqlMutants, maskSql } from "../../mutants/sql_mutators.ts";
import { assert, assertEquals } from "../../support/assert.ts";

/** The changed lines of a function with this body, as the change says them. */
function listLines(body: string): string[] {
  const head = "create or replace function messaging.f(a integer)\nreturns jsonb\nas $$\nbegin\n";
  const text = `${head}${body}\nend;\n$$;\n`;
  return listSqlMutants("f.sql", text).map(({ text, line }) => text.split("\n")[line - 1] ?? "");
}

/** What each rule of SQL becomes: among what is made of the line. */
const broken: Readonly<Record<string, readonly string[]>> = {
  "  where a.id = b.id and a.at <= clock;": [
    "  where a.id <> b.id and a.at <= clock;",
    "  where a.id = b.id or a.at <= clock;",
    "  where a.id = b.id and a.at < clock;",
  ],
  "    and x is not null;": ["    and x is null;", "    ;", "    or x is not null;"],
  "  if a > b then": ["  if a >= b then", "  if not coalesce(a > b, false) then"],
  "  if a = 'x' and b = 'yy' then": [
    "  if not coalesce(a = 'x' and b = 'yy', false) then",
    "  if a <> 'x' and b = 'yy' then",
    "  if a = 'x' and b <> 'yy' then",
  ],
  "  if not found then": ["  if found then", "  if not coalesce(not found, false) then"],
  "  perform messaging.g(a);": ["  null;"],
  "    'sentAt', m.sent_at,": ["    'sentAt', null,"],
  "    m.sent_at,": ["    null,"],
  "    contact_name,": ["    null,"],
  "  set status = 'sent',": ["  set ", "  set status = 'xsent',"],
  "  n := 3;": ["  null;", "  n := 4;"],
  "  return greatest(a, b) + 1;": ["  return least(a, b) + 1;", "  return greatest(a, b) - 1;"],
  "  raise exception using errcode = 'MI004';": ["  null;"],
};

for (const [line, expected] of Object.entries(broken)) {
  Deno.test(`a rule of SQL is broken: ${line.trim()}`, () => {
    const lines = listLines(line);
    assertEquals(expected.filter((wanted) => !lines.includes(wanted)), [], lines.join("\n"));
  });
}

Deno.test("the bounds of between, comments and prose are left as they are", () => {
  assertEquals(listLines("  -- a < b and true"), []);
  assertEquals(listLines("  select 'a < b and true' as x"), []);
  assert(!listLines("  where a between b and c;").includes("  where a between b or c;"));
});

Deno.test("a function's head is no rule, and each of a file's functions is named", () => {
  const text = `create or replace function messaging.f(a integer default 1)
returns integer
language sql
return 2;
create or replace function messaging.g(a integer)
returns integer
language sql
return 3;
`;
  assertEquals(
    listSqlMutants("f.sql", text).map(({ routine, line, what }) => [routine, line, what]),
    [
      ["messaging.f", 4, "a number became one more"],
      ["messaging.g", 8, "a number became one more"],
    ],
  );
});

Deno.test("a mask has the length and the lines of its text", () => {
  const text = "select 'it''s', -- a 'comment'\n  /* two\n lines */ 1;";
  const masked = maskSql(text);
  assertEquals(masked.length, text.length);
  assertEquals(
    masked.split("\n").map(({ length }) => length),
    text.split("\n").map(({ length }) => length),
  );
  assert(!masked.includes("comment") && !masked.includes("it"));
});
