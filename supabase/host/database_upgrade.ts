/**
 * Brings a database to this version. A database of an earlier release is upgraded; one of a newer
 * version, or of no release, is refused before anything is changed.
 */

import { fileURLToPath } from "node:url";
import type { Sql } from "postgres";
import { version } from "../../shared/model/version.ts";
import { readReleasedMigrations } from "../tools/migrations/released_migrations.ts";
import { type DataPlace, describeVersion, refuseForeignDatabase } from "./database_version.ts";
import { readMigrations } from "./migration_files.ts";
import { applyMigrations, readAppliedMigrations } from "./migrations.ts";

/** What an upgrade has done. */
export interface DatabaseUpgrade {
  readonly from: string;
  readonly to: string;
  /** Names of the applied files. */
  readonly migrations: readonly string[];
}

const migrationsFolder = fileURLToPath(new URL("../../migrations", import.meta.url));
const releasedPath = fileURLToPath(new URL("../released_migrations.json", import.meta.url));

/**
 * Applies all migrations that the database lacks, contract migrations too: no former function runs on it
 * any more.
 *
 * @param sql a client of the role that will own the objects.
 * @returns null where there was nothing to upgrade: on a new database, and on one of this version.
 * @throws {StartError} for a database of a newer version, and for one of no release.
 * @throws {MigrationError} when a migration fails. Those before it stay applied.
 */
export async function upgradeDatabase(
  sql: Sql,
  place: DataPlace,
): Promise<DatabaseUpgrade | null> {
  const migrations = await readMigrations(migrationsFolder);
  const applied = await readAppliedMigrations(sql);
  refuseForeignDatabase(applied, migrations, place);
  // Of this version, as at nearly every start: all files and texts need not be read once more.
  if (applied.length === migrations.length) return null;
  const added = await applyMigrations(sql, migrationsFolder);
  if (applied.length === 0 || added.length === 0) return null;
  const released = await readReleasedMigrations(releasedPath);
  const former = new Set(applied.map((record) => record.version));
  return {
    from: describeVersion(migrations.filter((each) => former.has(each.version)), released),
    to: describeVersion(migrations, released, version),
    migrations: added.map((name) => `${name}.sql`),
  };
}
