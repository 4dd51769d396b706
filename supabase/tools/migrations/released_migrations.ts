/**
 * The migrations of releases. They are on databases that nobody here knows, so they are never edited:
 * supabase/released_migrations.json holds their hashes.
 */

import { join } from "node:path";
import * as z from "zod";

const releasedSchema = z.record(
  z.string().regex(/^\d{14}_\w+\.sql$/),
  z.strictObject({ release: z.string(), sha256: z.string() }),
);

/** Release and hash by file name. */
export type ReleasedMigrations = z.infer<typeof releasedSchema>;

/** Reads the list; empty where it does not exist yet. */
export async function readReleasedMigrations(path: string): Promise<ReleasedMigrations> {
  try {
    return releasedSchema.parse(JSON.parse(await Deno.readTextFile(path)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  }
}

/** Hashes every migration of a folder. */
export async function hashMigrations(folder: string): Promise<Map<string, string>> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) if (name.endsWith(".sql")) names.push(name);
  const hashes = new Map<string, string>();
  for (const name of names.sort()) {
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(join(folder, name)));
    hashes.set(name, new Uint8Array(digest).toHex());
  }
  return hashes;
}

/**
 * What is wrong with the released migrations of a folder: one sentence for each that was edited or
 * removed, and for each new migration that does not come after all released ones.
 */
export function findReleaseProblems(
  released: ReleasedMigrations,
  hashes: ReadonlyMap<string, string>,
): string[] {
  const newestReleased = Object.keys(released).sort().at(-1) ?? "";
  const changed = Object.entries(released).flatMap(([name, { release, sha256 }]) =>
    hashes.get(name) === sha256 ? [] : [
      `${name} belongs to ${release} and has been ${
        hashes.has(name) ? "edited" : "removed"
      }: restore it, and write a new migration`,
    ]
  );
  const late = [...hashes.keys()]
    .filter((name) => !Object.hasOwn(released, name) && name < newestReleased)
    .map((name) => `${name} is new and must come after ${newestReleased}`);
  return [...changed, ...late];
}
