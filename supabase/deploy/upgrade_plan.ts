/**
 * What an upgrade applies to a database, and when it is refused. Expand migrations come before the
 * functions, contract migrations after them, by a step of their own (docs/migrations.md).
 */

import { type AppliedMigration, isAsApplied, type Migration } from "../host/migration_files.ts";

/** Begins the names of migrations that end what the former release's functions use. */
export const contractPrefix = "contract_";

/** What is not applied yet. */
export interface UpgradePlan {
  /** Migrations on which the former functions go on. */
  readonly expand: readonly Migration[];
  /** Migrations that need the new functions to be there. */
  readonly contract: readonly Migration[];
}

/** The database and the files do not fit. The message says what to do. */
export class UpgradeRefusal extends Error {
  override readonly name = "UpgradeRefusal";
}

/**
 * Compares what a database has applied, version and text, with the files of this checkout.
 *
 * @param migrations sorted by version.
 * @throws {UpgradeRefusal} when the database has a migration that the files lack or that was edited
 * since, when a new file comes before an applied one, and when a release in between was left out.
 */
export function planUpgrade(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): UpgradePlan {
  const recorded = new Map(applied.map((record) => [record.version, record]));
  refuseUnknown(applied, migrations);
  refuseEdited(recorded, migrations);
  const pending = migrations.filter(({ version }) => !recorded.has(version));
  refuseLate(applied, pending);
  const lastExpand = pending.findLastIndex((migration) => !isContract(migration));
  const expand = pending.slice(0, lastExpand + 1);
  // On a new database no functions run that a contract migration of a former release could end.
  if (applied.length > 0) refuseLeftOut(expand);
  return { expand, contract: pending.slice(lastExpand + 1) };
}

/** A contract migration needs the functions of its own release, which an upgrade past it leaves out. */
function refuseLeftOut(expand: readonly Migration[]): void {
  const left = expand.findIndex(isContract);
  const [contract, next] = [expand[left], expand.slice(left + 1).find((each) => !isContract(each))];
  if (contract === undefined || next === undefined) return;
  throw new UpgradeRefusal(
    `${fileOf(contract)} must be applied before ${fileOf(next)}, and after the functions of its ` +
      "own release. Upgrade release by release: check out the release that brought it, run `deno task " +
      "deploy` and `deno task deploy --contract` there, then deploy this one.",
  );
}

function isContract({ name }: Migration): boolean {
  return name.startsWith(contractPrefix);
}

/** The file name of a migration. */
export function fileOf({ version, name }: Pick<Migration, "version" | "name">): string {
  return `${version}_${name}.sql`;
}

function refuseUnknown(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): void {
  const known = new Set(migrations.map(({ version }) => version));
  const unknown = applied.map(({ version }) => version).filter((version) => !known.has(version));
  if (unknown.length === 0) return;
  throw new UpgradeRefusal(
    `The database has migrations that this checkout lacks (${
      unknown.sort().join(", ")
    }): it belongs to a ` +
      "newer release, or to another project. Check out the release that it has, or a later one.",
  );
}

function refuseEdited(
  recorded: ReadonlyMap<string, AppliedMigration>,
  migrations: readonly Migration[],
): void {
  const edited = migrations.filter((migration) => {
    const record = recorded.get(migration.version);
    return record !== undefined && !isAsApplied(migration, record);
  });
  if (edited.length === 0) return;
  throw new UpgradeRefusal(
    `The database was built from another text of ${
      edited.map(fileOf).join(", ")
    }: it is not of a release, ` +
      "or the file was edited. Nothing can be upgraded from it: restore the file, or deploy to a new " +
      "project and restore the data there (docs/backup.md).",
  );
}

function refuseLate(
  applied: readonly AppliedMigration[],
  pending: readonly Migration[],
): void {
  const newest = applied.map(({ version }) => version).sort().at(-1) ?? "";
  const late = pending.find(({ version }) => version < newest);
  if (late === undefined) return;
  throw new UpgradeRefusal(
    `${
      fileOf(late)
    } comes before ${newest}, which the database has applied: it was written on another ` +
      "branch. Write it anew with `deno task db:migration`.",
  );
}
