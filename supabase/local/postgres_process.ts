import { join } from "node:path";
import { stopServer } from "./orphan_server.ts";
import { serverEnvironment } from "./postgres_folder.ts";
import type { ServerUser } from "./server_user.ts";

/** Options of a server process. */
export interface LaunchOptions {
  readonly postgres: string;
  readonly folder: string;
  readonly port: number;
  readonly durable: boolean;
  readonly user: ServerUser | undefined;
  readonly onLog: (line: string) => void;
}

/** A server that accepts connections. */
export interface ServerProcess {
  readonly pid: number;
  /** Resolves when the process has ended, for any reason. */
  readonly exited: Promise<void>;
  /** Fast shutdown: open transactions are rolled back, what is committed is on disk. */
  stop(): Promise<void>;
}

/** The process ended before it accepted connections; `log` is its output. */
export interface LaunchFailure {
  readonly log: string;
}

const maxConnections = 200;
const keptLines = 40;

/** Launches a server on 127.0.0.1 and waits until it accepts connections or has ended. */
export async function launchServer(
  options: LaunchOptions,
): Promise<ServerProcess | LaunchFailure> {
  const child = new Deno.Command(options.postgres, {
    args: serverArguments(options),
    cwd: "/",
    clearEnv: true,
    env: { ...serverEnvironment },
    ...options.user,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    // Own process group: Ctrl-C must reach only our process, so that requests can finish before the
    // database stops.
    detached: true,
  }).spawn();

  const log: string[] = [];
  const ready = Promise.withResolvers<boolean>();
  const logEnded = readLines(child.stderr, (line) => {
    options.onLog(line);
    log.push(line);
    if (log.length > keptLines) log.shift();
    if (line.includes("database system is ready to accept connections")) ready.resolve(true);
  });
  let ended = false;
  const exited = Promise.all([child.status, logEnded]).then(() => {
    ended = true;
    ready.resolve(false);
  });

  if (!(await ready.promise)) return { log: log.join("\n") };
  const stop = async (): Promise<void> => {
    if (!ended) await stopServer(child.pid, () => Promise.resolve(ended));
    await exited;
  };
  return { pid: child.pid, exited, stop };
}

function serverArguments(options: LaunchOptions): string[] {
  const settings: Record<string, string> = {
    listen_addresses: "127.0.0.1",
    port: String(options.port),
    unix_socket_directories: "",
    max_connections: String(maxConnections),
    timezone: "UTC",
    log_timezone: "UTC",
    ...(options.durable
      ? {}
      : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  const pairs = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return ["-D", join(options.folder, "cluster"), ...pairs];
}

async function readLines(
  stream: ReadableStream<Uint8Array>,
  onLine: (line: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  }
  if (rest !== "") onLine(rest);
}
