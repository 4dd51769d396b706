/**
 * `supabase/schemas/<area>/` holds the database by subject: `tables/`, `rules/` (what is true, in
 * bound functions), `internal/` (functions that only SQL calls) and `rpc/` (functions that TypeScript
 * calls). All tables are built first, in the order of their foreign keys, then the functions of each
 * area; a function with a bound body comes after those that it calls. areas.json names the areas and
 * the few files that must be built before or after all others.
 */

import { join } from "node:path";
import * as z from "zod";

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
export async function readSchemaFiles(schemasFolder: string): Promise<SchemaFile[]> {
  const text = await Deno.readTextFile(join(schemasFolder, "areas.json"));
  const parsed = areasSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new SchemaError(`areas.json: ${z.prettifyError(parsed.error)}`);
  return orderSchemaFiles(parsed.data, await readSqlFiles(schemasFolder));
}

/**
 * Sorts files into the order in which they are built.
 *
 * @throws {SchemaError} as `readSchemaFiles`.
 */
export function orderSchemaFiles(order: SchemaOrder, files: readonly SchemaFile[]): SchemaFile[] {
  const problems = findProblems(order, files);
  if (problems.length > 0) throw new SchemaError(problems.join("\n"));
  const named = new Set([...order.first, ...order.last]);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const pick = (paths: readonly string[]): SchemaFile[] =>
    paths.flatMap((path) => byPath.get(path) ?? []);
  const inFolder = (folder: RegExp): SchemaFile[] =>
    files.filter(({ path }) => folder.test(path) && !named.has(path));
  return [
    ...pick(order.first),
    ...sortByReferences(inFolder(/^\w+\/tables\//)),
    ...sortByCalls(
      order.areas.flatMap((area) => inFolder(new RegExp(`^${area}/(?:${functionFolders})/`))),
    ),
    ...pick(order.last),
  ];
}

/**
 * Renders files as one script. It turns off the check of function bodies at creation, so that
 * functions may call each other in any order. The lint test checks all of them afterwards.
 */
export function renderSchemaFiles(files: readonly SchemaFile[]): string {
  const parts = files.map(({ path, text }) => `-- ${path}\n${text.trim()}\n`);
  return ["set local check_function_bodies = off;\n", ...parts].join("\n");
}

/** The folders of an area that hold functions, as a pattern. */
const functionFolders = "rules|internal|rpc";

/**
 * Whether a file creates functions with a body that Postgres binds when they are created
 * (`return …` or `begin atomic`): what such a body calls must exist by then.
 */
export function isBound({ text }: SchemaFile): boolean {
  return /^(?:return|begin atomic)\b/m.test(text) && !/^as \$/m.test(text);
}

/** Moves what bound functions call before them; otherwise the order stays. */
function sortByCalls(files: readonly SchemaFile[]): SchemaFile[] {
  const byName = new Map(files.map((file) => [fileName(file), file]));
  const sorted = new Set<SchemaFile>();
  const add = (file: SchemaFile, callers: readonly SchemaFile[]): void => {
    if (callers.includes(file)) {
      const circle = [...callers, file].map(({ path }) => path);
      throw new SchemaError(`bound functions call each other: ${circle.join(", ")}`);
    }
    for (const name of isBound(file) ? findCalls(file) : []) {
      const called = byName.get(name);
      if (called !== undefined && called !== file) add(called, [...callers, file]);
    }
    sorted.add(file);
  };
  for (const file of files) add(file, []);
  return [...sorted];
}

function findCalls({ text }: SchemaFile): string[] {
  return [...text.matchAll(/\b(?:messaging|public)\.(\w+)\s*\(/g)].map((match) => match[1] ?? "");
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
