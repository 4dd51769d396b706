/** Reads and applies the migrations of a project through the Supabase CLI. */

import { join } from "node:path";
import * as z from "zod";
import { lockConflictStates, repeatAfterLockConflicts } from "../host/lock_conflicts.ts";
import type { AppliedMigration, Migration } from "../host/migration_files.ts";
import { type DeployTarget, toRemote } from "./deploy_target.ts";
import { querySupabase, runSupabaseCli, SupabaseCliError } from "./supabase_cli.ts";

type DatabaseTarget = Pick<DeployTarget, "projectRef" | "accessToken" | "database">;

const historySchema = z.array(
  z.object({ version: z.string(), statements: z.array(z.string()).nullable() }),
);

/** Reads what a database has applied; nothing on a new one. @throws {SupabaseCliError} */
export async function readAppliedMigrations(
  root: string,
  target: DatabaseTarget,
): Promise<AppliedMigration[]> {
  const { remote, environment } = toRemote(target);
  const sql = "select version, statements from supabase_migrations.schema_migrations";
  try {
    return historySchema.parse(
      await querySupabase(root, sql, remote, {
        ...environment,
        SUPABASE_ACCESS_TOKEN: target.accessToken,
      }),
    );
  } catch (error) {
    // The first push creates the table.
    const isNew = error instanceof SupabaseCliError &&
      /supabase_migrations\.schema_migrations\W+ does not exist/.test(error.message);
    if (isNew) return [];
    throw error;
  }
}

/**
 * Applies migrations in their order, each in its own transaction. One that meets the locks of
 * requests under way is applied again.
 *
 * The CLI applies whatever a folder holds, so it is given a folder with these and the applied ones only.
 *
 * @param folder of the repository's migrations.
 * @throws {SupabaseCliError} when one fails. Those before it stay applied.
 */
export async function pushMigrations(
  folder: string,
  target: DatabaseTarget,
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
  show?: (text: string) => void,
): Promise<string> {
  const workdir = await Deno.makeTempDir({ prefix: "messaging-migrations-" });
  try {
    const copies = join(workdir, "supabase/migrations");
    await Deno.mkdir(copies, { recursive: true });
    const versions = new Set([...applied, ...migrations].map(({ version }) => version));
    for await (const { name } of Deno.readDir(folder)) {
      if (!versions.has(name.slice(0, 14))) continue;
      await Deno.copyFile(join(folder, name), join(copies, name));
    }
    const { remote, environment } = toRemote(target);
    const args = ["db", "push", `--remote=${remote}`, "--workdir", workdir, "--yes"];
    const push = (): Promise<string> =>
      runSupabaseCli(workdir, args, {
        ...environment,
        SUPABASE_ACCESS_TOKEN: target.accessToken,
      }, show);
    return await repeatAfterLockConflicts(push, isLockConflict);
  } finally {
    await Deno.remove(workdir, { recursive: true });
  }
}

function isLockConflict(error: unknown): boolean {
  return error instanceof SupabaseCliError &&
    lockConflictStates.some((state) => error.message.includes(`SQLSTATE ${state}`));
}
