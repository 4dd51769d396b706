import { join } from "node:path";
import { formatSql, formatSqlFolder } from "../../supabase/tools/format_sql.ts";
import { assertEquals } from "../support/assert.ts";

const body = `
begin
  return jsonb_build_object('id',   row.id,
    'name', row.name); -- as it is written
end;
`;

for (const language of ["plpgsql", "sql"]) {
  Deno.test(`keywords become lower case, and a body of ${language} stays as it is written`, async () => {
    assertEquals(
      await formatSql(
        `-- Head.\nCREATE FUNCTION f(a  INTEGER) RETURNS jsonb\nLANGUAGE ${language} AS $$${body}$$;`,
      ),
      `-- Head.\ncreate function f(a integer)\nreturns jsonb language ${language} as $$${body}$$;\n`,
    );
  });
}

Deno.test("a function's arguments and clauses fill lines, which stay as they are when they are formatted again", async () => {
  const formatted = `create function messaging.list_late(
  instance_id uuid, late_from timestamptz default now(), with_those_that_an_operator_holds boolean,
  limited_to integer
) returns table (
  identity_of_the_message uuid, instant_from_which_it_is_late timestamptz, number_of_tries integer
) language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off as $$
declare
  begun constant timestamptz := now();
begin
end;
$$;
`;
  const clause = / (?=returns|language|stable|set|as)|(?<=,) /g;
  assertEquals(await formatSql(formatted.replaceAll(clause, "\n")), formatted);
  assertEquals(await formatSql(formatted), formatted);
});

Deno.test("keys of a bound body stand beside their values, those of a quoted one as they are written", async () => {
  const formatted = `create function messaging.shown(a messaging.contacts)
returns jsonb language sql stable
return jsonb_build_object(
  'identity', a.id,
  'type', 'contact',
  'window', jsonb_build_object(
    'opened_at', a.a_column_with_a_long_name,
    'closes_at', a.another_column_with_a_long_name
  ),
  'name', coalesce(a.name, 'unknown'),
  'phone',
  coalesce(a.phone, a.another_column_with_a_long_name, a.a_column_with_a_name_of_the_length_of_it)
);

create function messaging.told(a text)
returns jsonb language sql as $$
  select jsonb_build_object(
    'name',
    a
  );
$$;
`;
  assertEquals(await formatSql(formatted), formatted);
});

Deno.test("a check names what is not formatted and writes nothing; without it the file is formatted", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(join(folder, "tables"));
    const path = join(folder, "tables/a.sql");
    await Deno.writeTextFile(path, "SELECT 1;\n");
    await Deno.writeTextFile(join(folder, "b.sql"), "select 2;\n");
    assertEquals(await formatSqlFolder(folder, true), ["tables/a.sql"]);
    assertEquals(await Deno.readTextFile(path), "SELECT 1;\n");
    assertEquals(await formatSqlFolder(folder, false), ["tables/a.sql"]);
    assertEquals(await Deno.readTextFile(path), "select 1;\n");
    assertEquals(await formatSqlFolder(folder, true), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
