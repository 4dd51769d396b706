/** A server of Postgres whose clock a test sets while it runs: its functions keep the machine's. */

import { fileURLToPath } from "node:url";
import postgres, { type Sql } from "postgres";
import { applyMigrations } from "../../../supabase/host/migrations.ts";
import { createPlatformRoles } from "../../../supabase/host/roles.ts";
import { preparePostgresBinaries } from "../../../supabase/local/postgres_binaries.ts";
import { makeCluster, makeDataFolder } from "../../../supabase/local/postgres_folder.ts";
import { findServerUser } from "../../../supabase/local/server_user.ts";
import { makeSettableClock } from "../clock/settable_clock.ts";
import { findFreePort } from "../free_port.ts";
import { makeTemporaryFolder } from "../stack/local_stack.ts";
import { copyCluster } from "./cluster_copy.ts";
import { launchServer } from "./launched_server.ts";

const migrationsFolder = fileURLToPath(new URL("../../../migrations", import.meta.url));

/** The server, with this version's database. */
export interface ClockedPostgres extends AsyncDisposable {
  /** Of the superuser. */
  readonly databaseUrl: string;
  readonly admin: Sql;
  /** How far its clock is ahead of this machine's from now on; negative for behind. */
  setClock(offsetSeconds: number): Promise<void>;
  /** What its clock shows. */
  now(): Promise<Date>;
}

/** Starts it on the machine's time. @throws {Error} where its clock cannot be set. */
export async function startClockedPostgres(): Promise<ClockedPostgres> {
  await using cleanup = new AsyncDisposableStack();
  const clock = await makeSettableClock();
  if ("obstacle" in clock) throw new Error(clock.obstacle);
  cleanup.use(clock);
  const temporary = cleanup.use(await makeTemporaryFolder());
  const user = await findServerUser(temporary.path);
  const binaries = await preparePostgresBinaries(user);
  const folder = await makeDataFolder(`${temporary.path}/data`, user);
  await copyCluster(folder);
  const password = await makeCluster(folder, binaries, user, false);
  const port = findFreePort();
  const server = await launchServer({
    ...{ name: "with a clock of its own", program: binaries.postgres, user, port, folder },
    environment: clock.environment,
  });
  cleanup.defer(() => server.stop());
  const databaseUrl = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const admin = postgres(databaseUrl, { max: 4, onnotice: () => {} });
  cleanup.defer(() => admin.end({ timeout: 3 }));
  await createPlatformRoles(admin);
  await applyMigrations(admin, migrationsFolder);
  const keep = cleanup.move();
  return {
    databaseUrl,
    admin,
    setClock: clock.set,
    now: async () => {
      const [row] = await admin<{ now: Date }[]>`select clock_timestamp() as now`;
      return row!.now;
    },
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}
