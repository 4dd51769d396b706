/** The process of a Postgres that a test treats as no stack does: it kills it, or moves its clock. */

import { join } from "node:path";
import { serverEnvironment } from "../../../supabase/local/postgres_folder.ts";
import type { ServerUser } from "../../../supabase/local/server_user.ts";

export interface ServerLaunch {
  /** For an error. */
  readonly name: string;
  /** Path of `postgres`. */
  readonly program: string;
  readonly user: ServerUser | undefined;
  /** Of 127.0.0.1. */
  readonly port: number;
  /** The data folder: see postgres_folder.ts. */
  readonly folder: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface LaunchedServer {
  readonly pid: number;
  /** Resolves when the process has ended and its sessions too, for any reason. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the server, and waits until it takes connections. Without fsync: the process is killed, never the
 * machine.
 *
 * @throws {Error} with its log, where it ends instead.
 */
export async function launchServer(launch: ServerLaunch): Promise<LaunchedServer> {
  const settings = {
    ...{ listen_addresses: "127.0.0.1", port: launch.port, unix_socket_directories: "" },
    ...{ max_connections: 200, fsync: "off", timezone: "UTC", log_timezone: "UTC" },
    ...launch.settings,
  };
  const child = new Deno.Command(launch.program, {
    args: [
      ...["-D", join(launch.folder, "cluster")],
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    ...{ cwd: "/", clearEnv: true, env: { ...serverEnvironment, ...launch.environment } },
    ...launch.user,
    ...{ stdin: "null", stdout: "null", stderr: "piped", detached: true },
  }).spawn();
  const ready = Promise.withResolvers<boolean>();
  let log = "";
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      log = (log + text).slice(-10_000);
      if (/ready to accept (?:read-only )?connections/.test(text)) ready.resolve(true);
    }
  })();
  let hasEnded = false;
  // Sessions of a killed server keep its log open until they end.
  const exited = Promise.all([child.status, reading]).then(() => {
    hasEnded = true;
    ready.resolve(false);
  });
  if (!await ready.promise) throw new Error(`the server ${launch.name} ended:\n${log}`);
  return {
    pid: child.pid,
    exited,
    stop: async () => {
      // Immediate: a standby that is behind would hold up a fast one.
      if (!hasEnded) child.kill("SIGQUIT");
      await exited;
    },
  };
}
