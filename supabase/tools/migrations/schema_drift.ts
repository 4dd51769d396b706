/**
 * Tells without a database whether supabase/schemas say what migrations/ do not build yet. It compares
 * texts: a quick look before tests, which run on what the migrations build. `deno task db:migration`
 * compares the databases themselves.
 */

import { readMigrations } from "../../host/migration_files.ts";
import { readSchemaFiles } from "./schema_files.ts";
import { readStatements } from "./schema_statements.ts";
import type { SchemaFolders } from "./scratch_databases.ts";

/** The statement's object, as its head names it: `create function messaging.x(…)`. */
const creation =
  /^create (?:or replace )?((?:function|index|unique index|trigger) .*?)(?: returns| on | as |$)/;
const tableCreation = /^create (?:table|type) (\S+) (?:as )?\((.*)\)/;
const columnAddition =
  /^alter (?:table|type) (\S+) add (?:column|attribute) (?:if not exists )?(\S+)/;

/**
 * The files of supabase/schemas with an object that the migrations create otherwise, or not at all.
 * Tables and types are compared by the names of their columns.
 */
export async function findFilesAheadOfMigrations(
  folders: Pick<SchemaFolders, "schemas" | "migrations">,
): Promise<string[]> {
  const migrated = await readMigratedObjects(folders.migrations);
  const ahead = readStatements(await readSchemaFiles(folders.schemas)).filter(({ plain }) => {
    const [, object] = creation.exec(plain) ?? [];
    if (object !== undefined) return migrated.objects.get(object) !== normalize(plain);
    const [, table = "", body = ""] = tableCreation.exec(plain) ?? [];
    return readColumns(body).some((column) => !migrated.columns.has(`${table}.${column}`));
  });
  return [...new Set(ahead.map(({ part }) => part.path))];
}

/** The last text of each object, and all columns by table. */
async function readMigratedObjects(
  folder: string,
): Promise<{ objects: ReadonlyMap<string, string>; columns: ReadonlySet<string> }> {
  const migrations = await readMigrations(folder);
  const files = migrations.map(({ path, statements }) => ({
    path,
    text: statements.map(({ text }) => `${text};`).join("\n"),
  }));
  const objects = new Map<string, string>();
  const columns = new Set<string>();
  for (const { plain } of readStatements(files)) {
    const statement = normalize(plain);
    const [, object] = creation.exec(statement) ?? [];
    if (object !== undefined) objects.set(object, statement);
    const [, table = "", body = ""] = tableCreation.exec(plain) ?? [];
    for (const column of readColumns(body)) columns.add(`${table}.${column}`);
    const [, altered = "", added = ""] = columnAddition.exec(plain) ?? [];
    columns.add(`${altered}.${added}`);
  }
  return { objects, columns };
}

function normalize(plain: string): string {
  return plain.replace(/ if not exists /, " ");
}

/** The names at the top level of a table's body; constraints are no columns. */
function readColumns(body: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let start = true;
  for (const [token] of body.replaceAll(/'[^']*'/g, "''").matchAll(/[(),]|[^\s(),]+/g)) {
    if (token === "(") depth++;
    else if (token === ")") depth--;
    else if (token === "," && depth === 0) {
      start = true;
      continue;
    } else if (start && depth === 0 && !/^(constraint|unique|primary|foreign|check)$/.test(token)) {
      names.push(token);
    }
    start = false;
  }
  return names;
}
