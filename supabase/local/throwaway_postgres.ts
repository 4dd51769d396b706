/** A Postgres in a temporary folder, for one run of the tests or of a tool. */

import { dirname, join } from "node:path";
import { stopOrphanServer } from "./orphan_server.ts";
import { type PostgresServer, startPostgres } from "./postgres_server.ts";

const prefix = "messaging-test-postgres-";
const youngMs = 60_000;

/**
 * Starts a server without fsync, after removing the folders of killed runs. Stopping it removes its
 * folder.
 */
export async function startThrowawayPostgres(
  onLog: (line: string) => void = () => {},
): Promise<PostgresServer> {
  const folder = await Deno.makeTempDir({ prefix });
  await removeAbandoned(dirname(folder));
  const server = await startPostgres({ dataDir: folder, durability: "none", onLog });
  const stop = async (): Promise<void> => {
    await server.stop();
    for (const path of new Set([server.dataDir, folder])) {
      await Deno.remove(path, { recursive: true }).catch(ignoreNotFound);
    }
  };
  return { ...server, stop, [Symbol.asyncDispose]: stop };
}

async function removeAbandoned(parent: string): Promise<void> {
  for await (const entry of Deno.readDir(parent)) {
    if (!entry.isDirectory || !entry.name.startsWith(prefix)) continue;
    // Skips another user's folder, and one that another run is removing.
    await removeIfAbandoned(join(parent, entry.name)).catch(() => {});
  }
}

async function removeIfAbandoned(folder: string): Promise<void> {
  const path = join(folder, "lock");
  const { mtime } = await Deno.stat(path);
  if (mtime === null || Date.now() - mtime.getTime() < youngMs) return;
  using lock = await Deno.open(path, { read: true, write: true });
  if (!(await lock.tryLock(true))) return;
  await stopOrphanServer(join(folder, "cluster"));
  await Deno.remove(folder, { recursive: true });
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
