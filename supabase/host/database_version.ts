/** Which version a database is of, by the migrations that it has. */

import { version } from "../../shared/model/version.ts";
import type { ReleasedMigrations } from "../tools/migrations/released_migrations.ts";
import { type AppliedMigration, isAsApplied, type Migration } from "./migration_files.ts";
import { StartError } from "./start_error.ts";

/** Where the data is, for a sentence: `The data in /srv/messaging/.local`; and how to get new data. */
export interface DataPlace {
  readonly name: string;
  readonly startAnew: string;
}

/**
 * Refuses a database that this version cannot upgrade.
 *
 * @param migrations sorted by version.
 * @throws {StartError}
 */
export function refuseForeignDatabase(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
  { name, startAnew }: DataPlace,
): void {
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  const unknown = applied.map((record) => record.version).filter((each) => !known.has(each)).sort();
  const edited = applied.find((record) => {
    const migration = known.get(record.version);
    return migration !== undefined && !isAsApplied(migration, record);
  });
  const newest = migrations.at(-1)?.version ?? "";
  const isOlder = unknown.some((each) => each < newest);
  if (edited !== undefined || isOlder) {
    throw new StartError(
      `${name} is from before 1.0.0, from a state between two releases, or of another project: its migration ${
        edited?.version ?? unknown[0]
      } is not that of ${version}. It cannot be upgraded. Start the version that made it, or ${startAnew}.`,
    );
  }
  if (unknown.length > 0) {
    throw new StartError(
      `${name} belongs to a newer version: ${version} does not know its migrations ${
        unknown.join(", ")
      }. Start the version that ran on it last, or a later one, or ${startAnew}.`,
    );
  }
}

/**
 * Names the version that migrations make.
 *
 * @param migrations sorted by version.
 * @param release the release that has them; by default the newest one that is recorded for any.
 */
export function describeVersion(
  migrations: readonly Migration[],
  released: ReleasedMigrations,
  release?: string,
): string {
  const releases = migrations.map(({ version, name }) =>
    released[`${version}_${name}.sql`]?.release
  );
  const newest = release ?? releases.findLast((each) => each !== undefined) ?? "no release";
  return releases.at(-1) === undefined ? `${newest} with unreleased migrations` : newest;
}
