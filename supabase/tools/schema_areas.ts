/**
 * `supabase/schemas/areas.json` says which files of supabase/schemas make up which baseline
 * migration, in the order in which they must run.
 */

import { join } from "node:path";
import * as z from "zod";

const areasSchema = z.array(z.strictObject({
  /** Name of the migration, without `.sql`. */
  migration: z.string().regex(/^\d{14}_[a-z0-9_]+$/),
  /** Paths below supabase/schemas. */
  files: z.array(z.string().regex(/^[\w/]+\.sql$/)).min(1),
}));

/** One baseline migration and the files it is made of. */
export type SchemaArea = z.infer<typeof areasSchema>[number];

/** areas.json and the files beside it do not agree. One fault a line. */
export class SchemaAreaError extends Error {
  override readonly name = "SchemaAreaError";
}

/**
 * Reads areas.json and holds it against the folder.
 *
 * @throws {SchemaAreaError} when a file is in no area, in two, or missing, or when the migrations are
 *   not in order.
 */
export async function readSchemaAreas(schemasFolder: string): Promise<SchemaArea[]> {
  const text = await Deno.readTextFile(join(schemasFolder, "areas.json"));
  const parsed = areasSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new SchemaAreaError(`areas.json: ${z.prettifyError(parsed.error)}`);
  const areas = parsed.data;
  const present = await listSqlFiles(schemasFolder);
  const faults = findAreaFaults(areas, present);
  if (faults.length > 0) throw new SchemaAreaError(faults.join("\n"));
  return areas;
}

/**
 * What is wrong with the areas, a sentence each.
 *
 * @param present the SQL files that exist below supabase/schemas.
 */
export function findAreaFaults(areas: readonly SchemaArea[], present: readonly string[]): string[] {
  return [...findFileFaults(areas, present), ...findOrderFaults(areas)];
}

/** The first line of every baseline, by which one is known whose area has gone. */
export const baselineHeader =
  "-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.\n";

/** The text of a baseline migration: every file of the area, each under its name. */
export async function composeBaseline(schemasFolder: string, area: SchemaArea): Promise<string> {
  const parts = [baselineHeader];
  for (const file of area.files) {
    const text = await Deno.readTextFile(join(schemasFolder, file));
    parts.push(`-- source: supabase/schemas/${file}\n${text.trim()}\n`);
  }
  return parts.join("\n");
}

function findFileFaults(areas: readonly SchemaArea[], present: readonly string[]): string[] {
  const faults: string[] = [];
  const owners = new Map<string, string>();
  for (const { migration, files } of areas) {
    for (const file of files) {
      const owner = owners.get(file);
      if (owner !== undefined) faults.push(`${file} is named twice: in ${owner} and ${migration}`);
      if (!present.includes(file)) faults.push(`${file} of ${migration} does not exist`);
      owners.set(file, migration);
    }
  }
  for (const file of present) {
    if (!owners.has(file)) faults.push(`${file} is in no area of areas.json`);
  }
  return faults;
}

function findOrderFaults(areas: readonly SchemaArea[]): string[] {
  const faults: string[] = [];
  let before = "";
  for (const { migration } of areas) {
    if (migration.slice(0, 14) <= before.slice(0, 14)) {
      faults.push(`${migration} does not come after ${before}`);
    }
    before = migration;
  }
  return faults;
}

async function listSqlFiles(folder: string, below = ""): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of Deno.readDir(join(folder, below))) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory) files.push(...await listSqlFiles(folder, path));
    else if (entry.name.endsWith(".sql")) files.push(path);
  }
  return files.sort();
}
