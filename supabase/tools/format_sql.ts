/**
 * Formats supabase/schemas: `deno task fmt:sql`, which `deno task fmt` runs too. With `--check` it
 * writes nothing and fails when a file is not formatted. Leaves function bodies unchanged, because
 * formatting would break the pairs of `jsonb_build_object` and the columns of tables in comments.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import type { Options } from "prettier";
import * as sqlPlugin from "prettier-plugin-sql-cst";

const options: Options = {
  parser: "postgresql",
  plugins: [sqlPlugin],
  printWidth: 100,
  embeddedLanguageFormatting: "off",
  sqlKeywordCase: "lower",
  sqlTypeCase: "lower",
  sqlLiteralCase: "lower",
};

/**
 * Formats statements of Postgres.
 *
 * @throws {Error} when the formatter cannot parse the text.
 */
export async function formatSql(text: string): Promise<string> {
  return await format(text, options);
}

/**
 * Formats the unformatted SQL files below a folder; with `check` only lists them.
 *
 * @returns the paths, below the folder, of the files that differed.
 */
export async function formatSqlFolder(folder: string, check: boolean): Promise<string[]> {
  const different: string[] = [];
  for (const path of await listSqlFiles(folder)) {
    const text = await Deno.readTextFile(join(folder, path));
    const formatted = await formatSql(text);
    if (formatted === text) continue;
    different.push(path);
    if (!check) await Deno.writeTextFile(join(folder, path), formatted);
  }
  return different;
}

async function listSqlFiles(folder: string, below = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of Deno.readDir(join(folder, below))) {
    const path = join(below, entry.name);
    if (entry.isDirectory) paths.push(...await listSqlFiles(folder, path));
    else if (entry.name.endsWith(".sql")) paths.push(path);
  }
  return paths.sort();
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

async function main(check: boolean): Promise<number> {
  const folder = fileURLToPath(new URL("../schemas", import.meta.url));
  const different = await formatSqlFolder(folder, check);
  for (const path of different) {
    print(`supabase/schemas/${path} ${check ? "is not" : "is now"} formatted`);
  }
  if (different.length === 0) print("supabase/schemas is formatted");
  if (check && different.length > 0) print("Run `deno task fmt`.");
  return check && different.length > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args.includes("--check")));
