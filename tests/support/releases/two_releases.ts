import { join } from "node:path";
import { applyMigrations } from "../../../supabase/host/migrations.ts";
import { createPlatformRoles } from "../../../supabase/host/roles.ts";
import { createEmptyDatabase, type TestDatabase } from "../database/database.ts";
import { type Checkout, checkOut } from "./checkout.ts";
import { type Successor, writeSuccessor } from "./successor.ts";

/** The last release's checkout and the next release's migrations, removed when disposed of. */
export interface TwoReleases extends AsyncDisposable {
  readonly former: Checkout;
  readonly successor: Successor;
}

/**
 * Prepares both releases.
 *
 * @param commit the last release's.
 */
export async function prepareReleases(commit: string): Promise<TwoReleases> {
  await using cleanup = new AsyncDisposableStack();
  const former = cleanup.use(await checkOut(commit));
  const serverUrl = Deno.env.get("TEST_DATABASE_URL") ?? "";
  const successor = await writeSuccessor(serverUrl, join(former.root, "migrations"));
  cleanup.use(successor);
  const keep = cleanup.move();
  return { former, successor, [Symbol.asyncDispose]: () => keep.disposeAsync() };
}

/** Creates a database by the migrations of a folder. */
export async function createMigratedDatabase(migrations: string): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  await createPlatformRoles(database.admin);
  await applyMigrations(database.admin, migrations);
  return database;
}
