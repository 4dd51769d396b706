/** The files of a migrations folder, and what a database recorded of them. */

import { join } from "node:path";
import { splitStatements, type SqlStatement } from "./sql_statements.ts";

/** A migration could not be read or applied. The message names the file and, where known, the line. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** A file of the folder. */
export interface Migration {
  /** 14 digits, an instant of UTC. */
  readonly version: string;
  readonly name: string;
  readonly path: string;
  readonly statements: readonly SqlStatement[];
}

/** A row of `supabase_migrations.schema_migrations`, where the Supabase CLI records migrations. */
export interface AppliedMigration {
  readonly version: string;
  /** NULL where another tool recorded the version only. */
  readonly statements: readonly string[] | null;
}

const filePattern = /^(\d{14})_(\w+)\.sql$/;

/**
 * Reads a folder, sorted by version.
 *
 * @throws {MigrationError} for another name than `<14 digits>_<what>.sql`, and for a version that two
 * files have.
 */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for await (const entry of Deno.readDir(folder)) {
    if (!entry.name.endsWith(".sql")) continue;
    const path = join(folder, entry.name);
    const [, version, name] = filePattern.exec(entry.name) ?? [];
    if (version === undefined || name === undefined) {
      throw new MigrationError(`${path}: a migration is named <14 digits>_<what>.sql`);
    }
    const statements = splitStatements(await Deno.readTextFile(path));
    migrations.push({ version, name, path, statements });
  }
  migrations.sort((a, b) => a.version < b.version ? -1 : 1);
  const twice = migrations.find((next, i) => next.version === migrations[i - 1]?.version);
  if (twice !== undefined) {
    throw new MigrationError(`${twice.path}: another migration has the version ${twice.version}`);
  }
  return migrations;
}

/** Whether a file still is what was applied. White space does not count. */
export function isAsApplied(migration: Migration, { statements }: AppliedMigration): boolean {
  if (statements === null) return true;
  const recorded = statements.join(";");
  const present = migration.statements.map((statement) => statement.text).join(";");
  return recorded === present || withoutSpace(recorded) === withoutSpace(present);
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
