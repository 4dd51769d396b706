/** A Postgres in a temporary folder, for one run of the tests or of a tool. */

import { dirname, join } from "node:path";
import postgres from "postgres";
import { stopOrphanServer } from "./orphan_server.ts";
import { type PostgresServer, startPostgres } from "./postgres_server.ts";

const prefix = "messaging-test-postgres-";
const youngMs = 60_000;

/**
 * Starts a server without fsync, after removing the folders of killed runs. Stopping it removes its
 * folder.
 *
 * @param prepare may put a cluster into the folder, which is initialised otherwise.
 */
export async function startThrowawayPostgres(
  prepare: (folder: string) => Promise<void> = () => Promise.resolve(),
): Promise<PostgresServer> {
  const folder = await Deno.makeTempDir({ prefix });
  await removeAbandoned(dirname(folder));
  await prepare(folder);
  const server = await startPostgres({ dataDir: folder, durability: "none" });
  const stop = async (): Promise<void> => {
    await server.stop();
    for (const path of new Set([server.dataDir, folder])) {
      await Deno.remove(path, { recursive: true }).catch(ignoreNotFound);
    }
  };
  try {
    await hashPasswordOnce(server.databaseUrl);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...server, stop, [Symbol.asyncDispose]: stop };
}

/**
 * Stores the password with one iteration instead of 4,096, which cost a quarter of each of the thousands
 * of connections. The password is 24 random bytes, so nobody can guess it from its hash.
 */
async function hashPasswordOnce(databaseUrl: string): Promise<void> {
  const password = decodeURIComponent(new URL(databaseUrl).password);
  const sql = postgres(databaseUrl, { max: 1 });
  try {
    await sql.begin(async (transaction) => {
      await transaction`set local scram_iterations = 1`;
      await transaction.unsafe(`alter role postgres password '${password}'`);
    });
  } finally {
    await sql.end();
  }
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
