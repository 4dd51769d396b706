/**
 * `supabase/schemas/<area>/` holds the database by subject: `tables/`, `rules/` (what is true, in
 * bound functions), `internal/` (functions that only SQL calls) and `rpc/` (functions that TypeScript
 * calls). A function stands in one file with those that it alone calls, callers above callees. All
 * tables are built first, in the order of their foreign keys, then the functions of each area, which
 * are sorted one by one: a function with a bound body comes after those that it calls. areas.json
 * names the areas and the few files that must be built before or after all others.
 */

import { join } from "node:path";
import * as z from "zod";
import { splitStatements } from "../../host/sql_statements.ts";

const fileSchema = z.string().regex(/^[\w/]+\.sql$/);

const areasSchema = z.strictObject({
  /** Files that the tables depend on: the schema itself, functions of constraints. */
  first: z.array(fileSchema),
  /** The areas' folders. */
  areas: z.array(z.string().regex(/^[a-z][a-z0-9_]*$/)),
  /** Files that depend on all others. */
  last: z.array(fileSchema),
});

/** The content of areas.json. */
export type SchemaOrder = z.infer<typeof areasSchema>;

/** A file below supabase/schemas. */
export interface SchemaFile {
  readonly path: string;
  readonly text: string;
}

/** What is built, replaced and sorted as one: a function of a file, or all else that the file holds. */
export type SchemaPart = SchemaFile;

/** areas.json and the folders beside it do not match. One error per line. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/**
 * Reads all schemas in the order in which they are built.
 *
 * @throws {SchemaError} when a file belongs to no area, when a named file is missing, or when tables
 * reference each other in a circle.
 */
export async function readSchemaFiles(schemasFolder: string): Promise<SchemaPart[]> {
  const text = await Deno.readTextFile(join(schemasFolder, "areas.json"));
  const parsed = areasSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new SchemaError(`areas.json: ${z.prettifyError(parsed.error)}`);
  return orderSchemaFiles(parsed.data, await readSqlFiles(schemasFolder));
}

/**
 * Sorts what files hold into the order in which it is built.
 *
 * @throws {SchemaError} as `readSchemaFiles`.
 */
export function orderSchemaFiles(order: SchemaOrder, files: readonly SchemaFile[]): SchemaPart[] {
  const problems = findProblems(order, files);
  if (problems.length > 0) throw new SchemaError(problems.join("\n"));
  const named = new Set([...order.first, ...order.last]);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const pick = (paths: readonly string[]): SchemaFile[] =>
    paths.flatMap((path) => byPath.get(path) ?? []);
  const inFolder = (folder: RegExp): SchemaFile[] =>
    files.filter(({ path }) => folder.test(path) && !named.has(path));
  const functions = order.areas.flatMap((area) =>
    inFolder(new RegExp(`^${area}/(?:${functionFolders})/`))
  );
  return [
    ...sortByCalls(pick(order.first).flatMap(splitFunctions)),
    ...sortByReferences(inFolder(/^\w+\/tables\//)),
    ...sortByCalls(functions.flatMap(splitFunctions)),
    ...pick(order.last).flatMap(splitFunctions),
  ];
}

const creatingFunction = /^create (?:or replace )?function ([\w.]+)/m;

/**
 * The functions of a file, each with the comments above it and with what follows on it, such as its
 * grants; then all else, such as the triggers that execute them. A file without a second part stays
 * as it is.
 */
export function splitFunctions(file: SchemaFile): SchemaPart[] {
  const functions: { readonly name: string; text: string }[] = [];
  const others: string[] = [];
  for (const { text } of splitStatements(file.text)) {
    const [, name] = creatingFunction.exec(text) ?? [];
    const last = functions.at(-1);
    if (name !== undefined) functions.push({ name, text: `${text};` });
    else if (last !== undefined && concerns(text, last.name)) last.text += `\n\n${text};`;
    else others.push(`${text};`);
  }
  if (functions.length + Math.min(others.length, 1) < 2) return [file];
  const parts = functions.map(({ text }) => text);
  if (others.length > 0) parts.push(others.join("\n"));
  return parts.map((text) => ({ path: file.path, text }));
}

function concerns(statement: string, functionName: string): boolean {
  return new RegExp(`^(?:grant|revoke|comment|alter) .*\\bfunction ${functionName}\\(`, "m")
    .test(statement);
}

/**
 * Renders files as one script. It turns off the check of function bodies at creation, so that
 * functions may call each other in any order. The lint test checks all of them afterwards.
 */
export function renderSchemaFiles(files: readonly SchemaPart[]): string {
  const parts = files.map(({ path, text }) => `-- ${path}\n${text.trim()}\n`);
  return ["set local check_function_bodies = off;\n", ...parts].join("\n");
}

/** The folders of an area that hold functions, as a pattern. */
const functionFolders = "rules|internal|rpc";

/**
 * Whether a part creates a function with a body that Postgres binds when it is created (`return …` or
 * `begin atomic`): what such a body calls must exist by then.
 */
export function isBound({ text }: SchemaPart): boolean {
  return /^(?:return|begin atomic)\b/m.test(text) && !/(?:^| )as \$\w*\$/m.test(text);
}

/** The function that a part creates, with its schema: `messaging.claim_outbox`. */
export function functionName({ text }: SchemaPart): string | undefined {
  return creatingFunction.exec(text)?.[1];
}

/** Moves what bound functions call before them; otherwise the order stays. */
function sortByCalls(parts: readonly SchemaPart[]): SchemaPart[] {
  const byName = Map.groupBy(parts, functionName);
  const sorted = new Set<SchemaPart>();
  const add = (part: SchemaPart, callers: readonly SchemaPart[]): void => {
    if (callers.includes(part)) {
      const circle = [...callers, part].map(functionName);
      throw new SchemaError(`bound functions call each other: ${circle.join(", ")}`);
    }
    for (const name of isBound(part) ? findCalls(part) : []) {
      for (const called of byName.get(name) ?? []) {
        if (called !== part) add(called, [...callers, part]);
      }
    }
    sorted.add(part);
  };
  for (const part of parts) add(part, []);
  return [...sorted];
}

function findCalls({ text }: SchemaPart): string[] {
  return [...text.matchAll(/\b((?:messaging|public)\.\w+)\s*\(/g)].map((match) => match[1] ?? "");
}

/** Sorts tables after those that they reference, otherwise by path. */
function sortByReferences(tables: readonly SchemaFile[]): SchemaFile[] {
  const sorted: SchemaFile[] = [];
  let waiting = [...tables];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(fileName));
    const ready = waiting.filter((table) =>
      !findReferences(table).some((name) => names.has(name) && name !== fileName(table))
    );
    if (ready.length === 0) {
      throw new SchemaError(`tables reference each other: ${[...names].join(", ")}`);
    }
    sorted.push(...ready);
    waiting = waiting.filter((table) => !ready.includes(table));
  }
  return sorted;
}

function fileName({ path }: SchemaFile): string {
  return path.slice(path.lastIndexOf("/") + 1, -".sql".length);
}

function findReferences({ text }: SchemaFile): string[] {
  return [...text.matchAll(/\breferences messaging\.(\w+)/g)].map((match) => match[1] ?? "");
}

function findProblems({ first, areas, last }: SchemaOrder, files: readonly SchemaFile[]): string[] {
  const present = new Set(files.map(({ path }) => path));
  const named = [...first, ...last];
  const missing = named.filter((path) => !present.has(path));
  const unassigned = [...present].filter((path) => {
    const [area, folder] = path.split("/");
    const isAssigned = areas.includes(area ?? "") &&
      new RegExp(`^(?:tables|${functionFolders})$`).test(folder ?? "");
    return !isAssigned && !named.includes(path);
  });
  return [
    ...missing.map((path) => `${path} is named in areas.json and does not exist`),
    ...unassigned.map((path) => `${path} is in no area of areas.json`),
  ];
}

async function readSqlFiles(folder: string, below = ""): Promise<SchemaFile[]> {
  const files: SchemaFile[] = [];
  for await (const entry of Deno.readDir(join(folder, below))) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory) files.push(...await readSqlFiles(folder, path));
    else if (entry.name.endsWith(".sql")) {
      files.push({ path, text: await Deno.readTextFile(join(folder, path)) });
    }
  }
  return files.sort((a, b) => a.path < b.path ? -1 : 1);
}
