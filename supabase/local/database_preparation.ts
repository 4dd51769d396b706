import { fileURLToPath } from "node:url";
import postgres from "postgres";
import type { Sql } from "postgres";
import { endLeases } from "./claim_recovery.ts";
import { applyMigrations } from "./migrations.ts";
import { createPlatformRoles } from "./roles.ts";
import { StackStartError } from "./stack_start_error.ts";

const repository = new URL("../../", import.meta.url);

/**
 * Brings a database to what the functions expect: the platform's roles, every migration, the demo
 * workspace; in one of our own also the end of the leases of whoever died with it. A database that
 * others use too may hold claims of workers that live: their leases end by themselves.
 *
 * @throws {StackStartError} when the database cannot be reached or entered.
 * @throws {MigrationError} when it does not fit the migrations.
 */
export async function prepareDatabase(databaseUrl: string, isOurOwn: boolean): Promise<void> {
  const sql: Sql = postgres(databaseUrl, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await reach(sql);
    await createPlatformRoles(sql);
    await applyMigrations(sql, fileURLToPath(new URL("migrations", repository)));
    await sql.unsafe(await Deno.readTextFile(new URL("supabase/seed.sql", repository)));
    if (isOurOwn) await endLeases(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function reach(sql: Sql): Promise<void> {
  try {
    await sql`select 1`;
  } catch (cause) {
    const { code = "unknown" } = cause as { code?: unknown };
    throw new StackStartError(
      `The database of DATABASE_URL cannot be used (${code}): check its address and credentials, or leave DATABASE_URL away to use the embedded one.`,
      { cause },
    );
  }
}
