/** A service over a primary and its standby. */

import { fileURLToPath } from "node:url";
import { applyMigrations } from "../../../supabase/host/migrations.ts";
import { createPlatformRoles } from "../../../supabase/host/roles.ts";
import {
  type ReplicatedPostgres,
  type ReplicationOptions,
  startReplicatedPostgres,
} from "../database/replicated_postgres.ts";
import { type ServeProcess, startServe } from "../stack/serve_process.ts";

const migrationsFolder = fileURLToPath(new URL("../../../migrations", import.meta.url));

/** Starts both servers, with this version's database on them. */
export async function startCluster(options: ReplicationOptions): Promise<ReplicatedPostgres> {
  const cluster = await startReplicatedPostgres(options);
  try {
    await createPlatformRoles(cluster.admin());
    await applyMigrations(cluster.admin(), migrationsFolder);
    return cluster;
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

/** Starts `deno task serve`. By default `DATABASE_URL` names both servers. */
export function serveOn(
  cluster: ReplicatedPostgres,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServeProcess> {
  return startServe({
    environment: {
      DATABASE_URL: cluster.databaseUrl,
      PROVIDER_TIMEOUT_MS: "2000",
      ALLOW_PRIVATE_HOSTS: "true",
      ...environment,
    },
  });
}

/** Whether a service says that it serves. */
export async function isReady({ origin }: Pick<ServeProcess, "origin">): Promise<boolean> {
  const response = await fetch(`${origin}/health/ready`);
  await response.body?.cancel();
  return response.ok;
}
