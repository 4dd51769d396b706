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
      `-- Head.\ncreate function f(a integer)\nreturns jsonb\nlanguage ${language}\nas $$${body}$$;\n`,
    );
  });
}

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
