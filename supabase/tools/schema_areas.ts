/**
 * `supabase/schemas/<area>/` holds the database by subject: `tables/`, `internal/` (functions that
 * only SQL calls) and `rpc/` (functions that TypeScript calls). The first baseline creates all
 * tables, in the order of their foreign keys. Then one baseline per area creates its functions, in
 * any order. areas.json names the areas and the few files that belong to other baselines.
 */

import { join } from "node:path";
import * as z from "zod";

const fileSchema = z.string().regex(/^[\w/]+\.sql$/);
const migrationSchema = z.string().regex(/^\d{14}_[a-z0-9_]+$/);

const areasSchema = z.strictObject({
  /** Files that the tables depend on: the schema itself, functions of constraints. */
  first: z.array(fileSchema),
  /** Name of the baseline of all tables, without `.sql`. */
  tables: migrationSchema,
  /** Names of the areas' baselines: a timestamp, then the area's folder. */
  areas: z.array(migrationSchema),
  /** Files that depend on all others. They are at the end of the last baseline. */
  last: z.array(fileSchema),
});

/** The content of areas.json. */
export type SchemaOrder = z.infer<typeof areasSchema>;

/** A file below supabase/schemas. */
export interface SchemaFile {
  readonly path: string;
  readonly text: string;
}

/** A baseline migration and its files, in order. */
export interface Baseline {
  readonly migration: string;
  readonly files: readonly SchemaFile[];
}

/** areas.json and the folders beside it do not match. One error per line. */
export class SchemaAreaError extends Error {
  override readonly name = "SchemaAreaError";
}

/**
 * Reads all schemas and groups them into baselines.
 *
 * @throws {SchemaAreaError} when a file belongs to no baseline, when a named file is missing, when
 * the migrations are not in order, or when tables reference each other in a circle.
 */
export async function readBaselines(schemasFolder: string): Promise<Baseline[]> {
  const text = await Deno.readTextFile(join(schemasFolder, "areas.json"));
  const parsed = areasSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new SchemaAreaError(`areas.json: ${z.prettifyError(parsed.error)}`);
  return composeBaselines(parsed.data, await readSqlFiles(schemasFolder));
}

/**
 * Sorts files into baselines.
 *
 * @throws {SchemaAreaError} as `readBaselines`.
 */
export function composeBaselines(order: SchemaOrder, files: readonly SchemaFile[]): Baseline[] {
  const faults = [...findFileFaults(order, files), ...findOrderFaults(order)];
  if (faults.length > 0) throw new SchemaAreaError(faults.join("\n"));
  const named = new Set([...order.first, ...order.last]);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const pick = (paths: readonly string[]): SchemaFile[] =>
    paths.flatMap((path) => byPath.get(path) ?? []);
  const inFolder = (folder: RegExp): SchemaFile[] =>
    files.filter(({ path }) => folder.test(path) && !named.has(path));
  const areas = order.areas.map((migration, index): Baseline => ({
    migration,
    files: [
      ...inFolder(new RegExp(`^${folderOf(migration)}/(?:internal|rpc)/`)),
      ...(index === order.areas.length - 1 ? pick(order.last) : []),
    ],
  }));
  const tables = sortByReferences(inFolder(/^\w+\/tables\//));
  return [{ migration: order.tables, files: [...pick(order.first), ...tables] }, ...areas];
}

/** The first line of every baseline. It identifies a baseline whose area was removed. */
export const baselineHeader =
  "-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.\n";

/**
 * Turns off the check of function bodies at creation, so that functions may call each other in any
 * order. The lint test checks all of them afterwards.
 */
const uncheckedBodies = "set local check_function_bodies = off;\n";

/** Renders a baseline migration: every file under its name, in one transaction. */
export function renderBaseline({ files }: Baseline): string {
  const parts = files.map(({ path, text }) =>
    `-- source: supabase/schemas/${path}\n${text.trim()}\n`
  );
  return [baselineHeader, uncheckedBodies, ...parts].join("\n");
}

/** Sorts tables after those that they reference, otherwise by path. */
function sortByReferences(tables: readonly SchemaFile[]): SchemaFile[] {
  const sorted: SchemaFile[] = [];
  let waiting = [...tables];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(tableName));
    const ready = waiting.filter((table) =>
      !findReferences(table).some((name) => names.has(name) && name !== tableName(table))
    );
    if (ready.length === 0) {
      throw new SchemaAreaError(`tables reference each other: ${[...names].join(", ")}`);
    }
    sorted.push(...ready);
    waiting = waiting.filter((table) => !ready.includes(table));
  }
  return sorted;
}

function tableName({ path }: SchemaFile): string {
  return path.slice(path.lastIndexOf("/") + 1, -".sql".length);
}

function findReferences({ text }: SchemaFile): string[] {
  return [...text.matchAll(/\breferences messaging\.(\w+)/g)].map((match) => match[1] ?? "");
}

function folderOf(migration: string): string {
  return migration.slice(15);
}

function findFileFaults(order: SchemaOrder, files: readonly SchemaFile[]): string[] {
  const present = new Set(files.map(({ path }) => path));
  const named = [...order.first, ...order.last];
  const areas = order.areas.map(folderOf);
  const missing = named.filter((path) => !present.has(path));
  const unassigned = [...present].filter((path) => {
    const [area, folder] = path.split("/");
    const isAssigned = areas.includes(area ?? "") &&
      ["tables", "internal", "rpc"].includes(folder ?? "");
    return !isAssigned && !named.includes(path);
  });
  return [
    ...missing.map((path) => `${path} is named in areas.json and does not exist`),
    ...unassigned.map((path) => `${path} is in no area of areas.json`),
  ];
}

function findOrderFaults({ tables, areas }: SchemaOrder): string[] {
  const migrations = [tables, ...areas];
  return migrations.slice(1).flatMap((migration, index) => {
    const before = migrations[index] ?? "";
    return migration.slice(0, 14) > before.slice(0, 14)
      ? []
      : [`${migration} does not come after ${before}`];
  });
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
