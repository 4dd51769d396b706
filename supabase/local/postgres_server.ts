import { join } from "node:path";
import { stopOrphanServer } from "./orphan_server.ts";
import { preparePostgresBinaries } from "./postgres_binaries.ts";
import { lockDataFolder, makeCluster, makeDataFolder } from "./postgres_folder.ts";
import { type LaunchOptions, launchServer, type ServerProcess } from "./postgres_process.ts";
import { PostgresStartError } from "./postgres_start_error.ts";
import { findServerUser } from "./server_user.ts";

/** How to start the embedded Postgres. */
export interface PostgresOptions {
  /** Folder of all data; created when missing. */
  readonly dataDir: string;
  /** Default: a free port. */
  readonly port?: number;
  /** `none` turns fsync off: faster, but a crash of the machine loses data. Default: `full`. */
  readonly durability?: "full" | "none";
  /** Receives each line of the server's log, and a note about a stopped orphan server. */
  readonly onLog?: (line: string) => void;
}

/** An embedded Postgres that accepts connections on 127.0.0.1. */
export interface PostgresServer extends AsyncDisposable {
  /** For the superuser `postgres` and the database `postgres`, password included. */
  readonly databaseUrl: string;
  readonly port: number;
  readonly pid: number;
  /** The actual data folder, which may differ from the requested one: see `makeDataFolder`. */
  readonly dataDir: string;
  /** Resolves when the server has ended, for any reason. */
  readonly exited: Promise<void>;
  /** Stops the server (fast shutdown) and unlocks the folder. May be called repeatedly. */
  stop(): Promise<void>;
}

/** How long to wait for a former server to release the cluster or its port. */
const takeoverTimeoutMs = 20_000;

/**
 * Starts Postgres 17 on a folder and waits until it accepts connections. One server at a time uses a
 * folder. Stops an orphan server of an earlier start (killed with kill -9) first.
 *
 * @throws {PostgresStartError} when the folder or the port is in use, or Postgres cannot run here.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const onLog = options.onLog ?? (() => {});
  const durable = options.durability !== "none";
  const user = await findServerUser(options.dataDir);
  const folder = await makeDataFolder(options.dataDir, user);
  const lock = await lockDataFolder(folder, user);
  try {
    const binaries = await preparePostgresBinaries(user);
    const password = await makeCluster(folder, binaries, user, durable);
    const orphan = await stopOrphanServer(join(folder, "cluster"));
    if (orphan !== undefined) onLog(`stopped the server ${orphan} that an earlier start had left`);
    const launch = { postgres: binaries.postgres, folder, durable, user, onLog };
    const { server, port } = await launchOnPort(launch, options.port);
    return describeServer(server, { folder, port, password, lock });
  } catch (error) {
    lock.close();
    throw error;
  }
}

async function launchOnPort(
  launch: Omit<LaunchOptions, "port">,
  askedPort: number | undefined,
): Promise<{ server: ServerProcess; port: number }> {
  const deadline = performance.now() + takeoverTimeoutMs;
  for (;;) {
    const port = askedPort ?? findFreePort();
    const server = await launchServer({ ...launch, port });
    if (!("log" in server)) return { server, port };
    const portTaken = /Address already in use/.test(server.log);
    if (portTaken && askedPort !== undefined) {
      throw new PostgresStartError(
        "port_in_use",
        `Port ${askedPort} of 127.0.0.1 is in use. Stop the program that uses it, or choose another port.`,
      );
    }
    // Sessions of a killed server end shortly after it.
    const isTemporary = portTaken ||
      /pre-existing shared memory|lock file .* already/.test(server.log);
    if (!isTemporary || performance.now() > deadline) {
      throw new PostgresStartError(
        "server_failed",
        `Postgres on ${launch.folder} ended while starting. Its log:\n${server.log}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function describeServer(
  server: ServerProcess,
  at: { folder: string; port: number; password: string; lock: Deno.FsFile },
): PostgresServer {
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => stopped ??= server.stop().finally(() => at.lock.close());
  return {
    databaseUrl: `postgres://postgres:${at.password}@127.0.0.1:${at.port}/postgres`,
    port: at.port,
    pid: server.pid,
    dataDir: at.folder,
    exited: server.exited,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

// Another process may take the port before the server does; the start then tries another port.
function findFreePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
