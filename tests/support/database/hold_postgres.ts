/**
 * A program for a test to kill: starts Postgres on the given folder, prints its address and keeps it
 * running.
 */

import { startPostgres } from "../../../supabase/local/postgres_server.ts";
import { copyCluster } from "./cluster_copy.ts";

/** What the process prints about its server. */
export interface HeldPostgres {
  readonly databaseUrl: string;
  readonly pid: number;
  readonly dataDir: string;
}

if (import.meta.main) {
  const [dataDir = ""] = Deno.args;
  await copyCluster(dataDir);
  const server = await startPostgres({ dataDir });
  const held: HeldPostgres = {
    databaseUrl: server.databaseUrl,
    pid: server.pid,
    dataDir: server.dataDir,
  };
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(held)}\n`));
  await server.exited;
}
