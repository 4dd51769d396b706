import { fileURLToPath } from "node:url";
import postgres from "postgres";
import type { Sql } from "postgres";
import { endLeases } from "./claim_recovery.ts";
import { applyMigrations } from "./migrations.ts";
import { createPlatformRoles } from "./roles.ts";
import { StackStartError } from "./stack_start_error.ts";

const repository = new URL("../../", import.meta.url);

/**
 * Prepares a database for the functions: the platform's roles, every migration, and the demo workspace.
 * In the embedded database it also ends all leases, whose workers died with the former stack. A shared
 * database may have live workers, so its leases end by time.
 *
 * @throws {StackStartError} when the database cannot be reached or entered.
 * @throws {MigrationError} when the database and the migrations do not match.
 */
export async function prepareDatabase(databaseUrl: string, isEmbedded: boolean): Promise<void> {
  const sql: Sql = postgres(databaseUrl, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await checkConnection(sql);
    await createPlatformRoles(sql);
    await applyMigrations(sql, fileURLToPath(new URL("migrations", repository)));
    await sql.unsafe(await Deno.readTextFile(new URL("supabase/seed.sql", repository)));
    if (isEmbedded) await endLeases(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function checkConnection(sql: Sql): Promise<void> {
  try {
    await sql`select 1`;
  } catch (cause) {
    const { code = "unknown" } = cause as { code?: unknown };
    throw new StackStartError(
      `The database of DATABASE_URL cannot be used (${code}): check its address and credentials, or unset DATABASE_URL to use the embedded one.`,
      { cause },
    );
  }
}
