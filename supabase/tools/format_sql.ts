/**
 * Formats supabase/schemas: `deno task fmt:sql`, which `deno task fmt` runs too. With `--check` it
 * writes nothing and fails when a file is not formatted. Leaves quoted function bodies unchanged,
 * because formatting would break the pairs of `jsonb_build_object` and the columns of tables in
 * comments. The formatter gives each part of a function's head and each argument of a call a line: the
 * parts of heads are joined to full lines, and the keys of bound bodies to their values.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import type { Options } from "prettier";
import * as sqlPlugin from "prettier-plugin-sql-cst";

const printWidth = 100;

const options: Options = {
  parser: "postgresql",
  plugins: [sqlPlugin],
  printWidth,
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
  return joinKeys(joinClauses(await format(text, options)));
}

/** Fills lines with a function's arguments and with its clauses, in their order. */
function joinClauses(text: string): string {
  const joined: string[] = [];
  let isHead = false;
  let mayGrow = false;
  for (const line of text.split("\n")) {
    if (/^create (?:or replace )?function /.test(line)) isHead = true;
    const isBody = /^(?:return|begin atomic)\b/.test(line);
    const isClause = isHead && !isBody && /^[a-z]/.test(line) && !line.startsWith("create ");
    const last = joined.at(-1) ?? "";
    const grown = `${last} ${line.trimStart()}`;
    const mayJoin = isClause && mayGrow || isHead && isArgument(line) && isArgument(last, ",");
    if (mayJoin && grown.length <= printWidth) joined[joined.length - 1] = grown;
    else joined.push(line);
    mayGrow = isClause || isHead && line === ")";
    if (isBody || /^as \$/.test(line)) isHead = mayGrow = false;
  }
  return joined.join("\n");
}

/** Whether a line of a function's head is a whole argument, or a column of what it returns. */
function isArgument(line: string, end = ""): boolean {
  return /^ {2}[a-z]/.test(line) && line.endsWith(end);
}

/** Writes the keys of a bound body's `jsonb_build_object` on the lines of their values. */
function joinKeys(text: string): string {
  const joined: string[] = [];
  let objects: readonly number[] = [];
  let quote: string | undefined;
  for (const line of text.split("\n")) {
    const key = joined.at(-1) ?? "";
    const indent = indentOf(line);
    const grown = `${key} ${line.trimStart()}`;
    objects = objects.filter((inner) => inner <= indent);
    const isValue = objects.includes(indent) && indentOf(key) === indent && /^ *'\w+',$/.test(key);
    if (quote === undefined && isValue && grown.length <= printWidth) {
      joined[joined.length - 1] = grown;
    } else joined.push(line);
    if (line.endsWith("jsonb_build_object(")) objects = [...objects, indent + 2];
    quote = quoteAfter(line, quote);
  }
  return joined.join("\n");
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The dollar quote that is open after a line. */
function quoteAfter(line: string, open: string | undefined): string | undefined {
  let quote = open;
  for (const [tag] of line.matchAll(/\$\w*\$/g)) {
    if (quote === undefined) quote = tag;
    else if (quote === tag) quote = undefined;
  }
  return quote;
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
