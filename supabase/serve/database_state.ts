/** Brings a service's database to this version, and refuses to serve one that is not. */

import { fileURLToPath } from "node:url";
import postgres, { type Sql } from "postgres";
import { contractPrefix, fileOf, planUpgrade, UpgradeRefusal } from "../deploy/upgrade_plan.ts";
import { type Migration, readMigrations } from "../host/migration_files.ts";
import { applyMigrations, readAppliedMigrations } from "../host/migrations.ts";
import { refuseStandby } from "../host/primary_start.ts";
import { createPlatformRoles } from "../host/roles.ts";
import { StartError } from "../host/start_error.ts";

/** The oldest major version of Postgres on which the tests run the service. */
const oldestPostgres = 17;

const folder = fileURLToPath(new URL("../../migrations", import.meta.url));

/** What `migrate` has done. */
export interface Migrated {
  /** Names of the files, in their order. */
  readonly applied: readonly string[];
  /** Contract migrations that wait for `--contract`. */
  readonly waiting: readonly string[];
}

/**
 * Applies the migrations on which a running former version goes on, and on a new database all. Those that
 * end what it uses are applied with `contract`, when it runs nowhere any more (docs/migrations.md).
 *
 * @param databaseUrl of one host, and a role that may create roles, and will own the tables.
 * @throws {StartError} when the database cannot be reached, it is a standby, its Postgres is too old, or it is not of an
 * earlier version.
 * @throws {MigrationError} when a migration fails. Those before it stay applied.
 */
export async function migrateDatabase(databaseUrl: string, contract: boolean): Promise<Migrated> {
  return await withDatabase(databaseUrl, async (sql) => {
    await createPlatformRoles(sql);
    const [applied, migrations] = [await readAppliedMigrations(sql), await readMigrations(folder)];
    const plan = readPlan(() => planUpgrade(applied, migrations));
    // A former version may still run, but on no new database.
    const waiting = contract || applied.length === 0 ? [] : plan.contract;
    const names = await applyMigrations(sql, folder, waiting[0]?.version);
    return { applied: names.map((name) => `${name}.sql`), waiting: waiting.map(fileOf) };
  });
}

/**
 * Refuses a database that lacks what this version's functions use. A newer one is served: its migrations
 * leave former functions what they use until the last of them has ended.
 *
 * @throws {StartError}
 */
export async function checkDatabase(databaseUrl: string): Promise<void> {
  await withDatabase(databaseUrl, async (sql) => {
    const applied = new Set((await readAppliedMigrations(sql)).map(({ version }) => version));
    const missing = (await readMigrations(folder)).filter(({ version, name }) =>
      !applied.has(version) && !name.startsWith(contractPrefix)
    );
    if (missing.length === 0) return;
    throw new StartError(
      `The database lacks ${missing.length} migrations of this version, from ${
        fileOf(missing[0] as Migration)
      } on. Run: deno task serve migrate`,
    );
  });
}

function readPlan<Plan>(plan: () => Plan): Plan {
  try {
    return plan();
  } catch (cause) {
    if (!(cause instanceof UpgradeRefusal)) throw cause;
    throw new StartError(cause.message, { cause });
  }
}

async function withDatabase<Result>(
  databaseUrl: string,
  use: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await connect(sql);
    await refuseOldPostgres(sql);
    return await use(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function connect(sql: Sql): Promise<void> {
  try {
    await refuseStandby(sql);
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    const { code = "unknown" } = cause as { code?: unknown };
    throw new StartError(
      `The database of DATABASE_URL cannot be used (${code}): check its address and credentials.`,
      { cause },
    );
  }
}

/** Asks before anything else is done: an older one may take some statements of a migration, and not the next. */
async function refuseOldPostgres(sql: Sql): Promise<void> {
  const [{ version, number } = { version: "", number: 0 }] = await sql<
    { version: string; number: number }[]
  >`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::integer as number`;
  if (number >= oldestPostgres * 10_000) return;
  throw new StartError(
    `The database of DATABASE_URL is Postgres ${version}. This version needs Postgres ${oldestPostgres} or newer: upgrade the server, or set DATABASE_URL to another one.`,
  );
}
