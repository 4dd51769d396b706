/**
 * Applies the files of a migrations folder and records them as the Supabase CLI does
 * (`supabase_migrations.schema_migrations`), so that both may be used on one database.
 */

import postgres from "postgres";
import type { Sql, TransactionSql } from "postgres";
import {
  type AppliedMigration,
  isAsApplied,
  type Migration,
  MigrationError,
  readMigrations,
} from "./migration_files.ts";
import { lockConflictStates, repeatAfterLockConflicts } from "./lock_conflicts.ts";
import { countLines, type SqlStatement } from "./sql_statements.ts";

/**
 * Applies pending migrations in the order of their names, each file in its own transaction. Concurrent
 * runs are serialized; the second one finds nothing to apply.
 *
 * @param sql a client of the role that will own the objects.
 * @param before a version: only files of lower versions are applied.
 * @returns the names of the newly applied files, without `.sql`.
 * @throws {MigrationError} when a file fails (it leaves nothing behind, the files before it stay),
 *   when an applied file has changed since, or when the database has a migration the folder lacks.
 */
export async function applyMigrations(
  sql: Sql,
  folder: string,
  before?: string,
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const history = await sql.begin(async (transaction) => {
    await lockMigrations(transaction);
    await createHistory(transaction);
    return await readHistory(transaction);
  });
  refuseUnknown(history, migrations, folder);
  const applied: string[] = [];
  for (const migration of migrations) {
    if (before !== undefined && migration.version >= before) break;
    const known = history.get(migration.version);
    if (known !== undefined) {
      refuseChanged(known, migration);
      continue;
    }
    const apply = (): Promise<boolean> =>
      sql.begin(async (transaction) => {
        await lockMigrations(transaction);
        // Another run may have applied it since. Its row alone: all texts are as long as the files.
        const record = (await readHistory(transaction, migration.version)).get(migration.version);
        if (record !== undefined) return refuseChanged(record, migration);
        await applyMigration(transaction, migration);
        return true;
      });
    const isNew = await repeatAfterLockConflicts(apply, isLockConflict);
    if (isNew) applied.push(`${migration.version}_${migration.name}`);
  }
  return applied;
}

async function lockMigrations(transaction: TransactionSql): Promise<void> {
  await transaction`select pg_advisory_xact_lock(hashtext('messaging migrations'))`;
}

async function createHistory(transaction: TransactionSql): Promise<void> {
  const [{ exists } = { exists: false }] = await transaction<{ exists: boolean }[]>`
    select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
  if (exists) return;
  await transaction.unsafe(`
    create schema if not exists supabase_migrations;
    create table supabase_migrations.schema_migrations (
      version text not null primary key,
      statements text[],
      name text
    );`);
}

/** Reads what was applied to a database; nothing on a new one. */
export async function readAppliedMigrations(sql: Sql): Promise<AppliedMigration[]> {
  const [{ exists } = { exists: false }] = await sql<{ exists: boolean }[]>`
    select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
  return exists ? await selectApplied(sql) : [];
}

async function readHistory(
  transaction: TransactionSql,
  version?: string,
): Promise<Map<string, AppliedMigration>> {
  const records = await selectApplied(transaction, version);
  return new Map(records.map((record) => [record.version, record]));
}

/** As JSON: the client parses an array character by character, which took seconds at each start. */
async function selectApplied(
  sql: Sql | TransactionSql,
  version: string | null = null,
): Promise<AppliedMigration[]> {
  return await sql<AppliedMigration[]>`
    select version, array_to_json(statements) as statements
    from supabase_migrations.schema_migrations
    where version = coalesce(${version}, version)`;
}

async function applyMigration(transaction: TransactionSql, migration: Migration): Promise<void> {
  for (const statement of migration.statements) {
    try {
      await transaction.unsafe(statement.text);
    } catch (cause) {
      throw describeFailure(migration, statement, cause);
    }
  }
  const texts = migration.statements.map((statement) => statement.text);
  await transaction`
    insert into supabase_migrations.schema_migrations (version, name, statements)
    values (${migration.version}, ${migration.name}, ${texts})`;
}

function isLockConflict(error: unknown): boolean {
  return error instanceof MigrationError && error.cause instanceof postgres.PostgresError &&
    lockConflictStates.includes(error.cause.code);
}

function describeFailure(
  migration: Migration,
  statement: SqlStatement,
  cause: unknown,
): MigrationError {
  if (!(cause instanceof postgres.PostgresError)) throw cause;
  // Postgres counts characters. Without a position, use the first line that is not a comment.
  const characters = Number(cause.position ?? 0) - 1;
  const before = characters >= 0
    ? [...statement.text].slice(0, characters).join("")
    : /^(?:\s+|--[^\n]*\n)*/.exec(statement.text)?.[0] ?? "";
  const line = statement.line + countLines(before);
  const details = [cause.detail, cause.hint, cause.where].filter(Boolean).join("\n");
  const tail = details === "" ? "" : `\n${details}`;
  return new MigrationError(
    `${migration.path}:${line}: ${cause.message} (${cause.code})${tail}`,
    { cause },
  );
}

function refuseUnknown(
  history: Map<string, AppliedMigration>,
  migrations: readonly Migration[],
  folder: string,
): void {
  const known = new Set(migrations.map((migration) => migration.version));
  const unknown = [...history.keys()].filter((version) => !known.has(version)).sort();
  if (unknown.length === 0) return;
  throw new MigrationError(
    `The database has migrations that ${folder} does not have (${unknown.join(", ")}): ` +
      "it belongs to another version of the project. Check that version out, or use a new database.",
  );
}

// A database made from another text would have neither the old schema nor the new one.
function refuseChanged(record: AppliedMigration, migration: Migration): false {
  if (isAsApplied(migration, record)) return false;
  throw new MigrationError(
    `${migration.path} has changed since it was applied to this database: use a new database ` +
      "(for the local stack: stop it and remove its data folder).",
  );
}
