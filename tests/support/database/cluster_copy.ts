/**
 * Data folders with a cluster that was initialised before: initdb takes five times as long as the copy.
 * A run initialises one. Tests about a first start leave their folder empty.
 */

import { join } from "node:path";
import { startPostgres } from "../../../supabase/local/postgres_server.ts";

/** Names the folder of the run's initialised cluster. Without it each server initialises its own. */
export const initialisedCluster = "TEST_INITIALISED_CLUSTER";

/** Initialises a cluster to copy, stopped. Disposing removes it. */
export async function initialiseCluster(): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = await Deno.makeTempDir({ prefix: "messaging-cluster-" });
  const remove = (): Promise<void> => Deno.remove(folder, { recursive: true });
  try {
    // As mkdir makes it; the postgres user of root could not enter a temporary folder otherwise.
    await Deno.chmod(folder, 0o755);
    const server = await startPostgres({ dataDir: join(folder, "data"), durability: "none" });
    await server.stop();
    return { path: server.dataDir, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Gives a data folder the run's initialised cluster and its password, so that a start on it runs no
 * initdb.
 *
 * @param dataDir created where it is missing; must have no cluster yet.
 */
export async function copyCluster(
  dataDir: string,
  source: string | undefined = Deno.env.get(initialisedCluster),
): Promise<void> {
  if (source === undefined) return;
  await Deno.mkdir(dataDir, { recursive: true });
  // Keeps owners: the server's user is not root.
  const { success, stderr } = await new Deno.Command("cp", {
    args: ["-a", join(source, "cluster"), join(source, "password"), dataDir],
    stdin: "null",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
