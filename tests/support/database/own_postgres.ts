/** A server of Postgres of a test's own, with settings that the tests' common one does not have. */

import { fileURLToPath } from "node:url";
import postgres, { type Sql } from "postgres";
import { applyMigrations } from "../../../supabase/host/migrations.ts";
import { createPlatformRoles } from "../../../supabase/host/roles.ts";
import { preparePostgresBinaries } from "../../../supabase/local/postgres_binaries.ts";
import { makeCluster, makeDataFolder } from "../../../supabase/local/postgres_folder.ts";
import { findServerUser } from "../../../supabase/local/server_user.ts";
import { findFreePort } from "../free_port.ts";
import { makeTemporaryFolder } from "../stack/local_stack.ts";
import { copyCluster } from "./cluster_copy.ts";
import { launchServer, type ServerLaunch } from "./launched_server.ts";

const migrationsFolder = fileURLToPath(new URL("../../../migrations", import.meta.url));

/** The server, with this version's database. Disposing stops it and removes its folder. */
export interface OwnPostgres extends AsyncDisposable {
  /** Of the superuser. */
  readonly databaseUrl: string;
  readonly admin: Sql;
}

/** Starts it. @throws {Error} with its log, where it ends instead. */
export async function startOwnPostgres(
  launch: Pick<ServerLaunch, "name" | "settings" | "environment">,
): Promise<OwnPostgres> {
  await using cleanup = new AsyncDisposableStack();
  const temporary = cleanup.use(await makeTemporaryFolder());
  const user = await findServerUser(temporary.path);
  const binaries = await preparePostgresBinaries(user);
  const folder = await makeDataFolder(`${temporary.path}/data`, user);
  await copyCluster(folder);
  const password = await makeCluster(folder, binaries, user, false);
  const port = findFreePort();
  const server = await launchServer({ ...launch, program: binaries.postgres, user, port, folder });
  cleanup.defer(() => server.stop());
  const databaseUrl = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const admin = postgres(databaseUrl, { max: 4, onnotice: () => {} });
  cleanup.defer(() => admin.end({ timeout: 3 }));
  await createPlatformRoles(admin);
  await applyMigrations(admin, migrationsFolder);
  const keep = cleanup.move();
  return { databaseUrl, admin, [Symbol.asyncDispose]: () => keep.disposeAsync() };
}
