/**
 * A release has one open migration: the one that `deno task db:migration` writes, and writes anew until
 * the release is made. Files that a person writes, such as steps for data, stand beside it.
 */

import { join } from "node:path";
import { contractPrefix } from "../../deploy/upgrade_plan.ts";
import { MigrationError } from "../../host/migration_files.ts";
import type { MigrationStep } from "./migration_plan.ts";
import { readReleasedMigrations } from "./released_migrations.ts";
import type { SchemaFolders } from "./scratch_databases.ts";

/** The first line of a file that `deno task db:migration` writes anew. */
export const generatedHead =
  "-- Written by `deno task db:migration`: edit supabase/schemas, and let it be written anew.";

/** The command that writes a release's migration, whether it has one yet or not. */
export const replaceCommand = "deno task db:migration --replace";

/** The open migration of a step: its file, and the one that validates its constraints. */
export interface OpenMigrations {
  /** What it does, as it was ordered. */
  readonly name: string;
  /** Version of the first file. */
  readonly version: string;
  /** Names of the files, in their order. */
  readonly names: readonly string[];
}

/** Finds the open migration of a step; `undefined` where the release has none yet. */
export async function findOpenMigrations(
  folders: Pick<SchemaFolders, "migrations" | "released">,
  step: MigrationStep,
): Promise<OpenMigrations | undefined> {
  const released = await readReleasedMigrations(folders.released);
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folders.migrations)) {
    if (!name.endsWith(".sql") || Object.hasOwn(released, name)) continue;
    if (readName(name).startsWith(contractPrefix) !== (step === "contract")) continue;
    const text = await Deno.readTextFile(join(folders.migrations, name));
    if (text.startsWith(generatedHead)) names.push(name);
  }
  const [first] = names.sort();
  if (first === undefined) return undefined;
  const name = readName(first).slice(step === "contract" ? contractPrefix.length : 0);
  return { name, version: first.slice(0, 14), names };
}

/**
 * The name that a migration gets: the ordered one, else that of the open migration, else that of the
 * release which is next after `released` if it breaks nothing.
 *
 * @throws {MigrationError} for a contract migration without a name: a person decides on its removals.
 */
export function chooseMigrationName(
  { name, step }: { readonly name?: string | undefined; readonly step: MigrationStep },
  open: OpenMigrations | undefined,
  released: string,
): string {
  if (name !== undefined) return name;
  if (open !== undefined) return open.name;
  if (step === "contract") {
    throw new MigrationError(
      "There is no open contract migration: `deno task db:migration <name> --contract` writes one.",
    );
  }
  const [major = 0, minor = 0] = released.split(".").map(Number);
  return `release_${major}_${minor + 1}_0`;
}

function readName(file: string): string {
  return file.slice("00000000000000_".length, -".sql".length);
}
