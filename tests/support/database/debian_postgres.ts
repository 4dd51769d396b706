/** Runs a Postgres of Debian's packages, for extensions that the npm package lacks. */

import { join } from "node:path";
import postgres from "postgres";
import type { Sql } from "postgres";
import { findServerUser, giveTo } from "../../../supabase/local/server_user.ts";
import { findFreePort } from "../free_port.ts";

const binaries = "/usr/lib/postgresql";
const extensions = "/usr/share/postgresql";

export interface DebianPostgres extends AsyncDisposable {
  /** Connection string of the superuser. */
  readonly url: string;
  readonly sql: Sql;
}

/** The newest installed version with the extension. @returns null where none is installed. */
export async function findDebianVersion(extension: string): Promise<string | null> {
  const versions: string[] = [];
  for await (const entry of listFolder(binaries)) {
    const control = join(extensions, entry.name, "extension", `${extension}.control`);
    if (await exists(control)) versions.push(entry.name);
  }
  return versions.sort((a, b) => Number(b) - Number(a))[0] ?? null;
}

/** Starts a server of this version in its own folder. Disposing removes both. */
export async function startDebianPostgres(
  version: string,
  preload: string,
): Promise<DebianPostgres> {
  const bin = join(binaries, version, "bin");
  const folder = await Deno.makeTempDir({ prefix: "messaging-test-debian-" });
  const user = await findServerUser(folder);
  await giveTo(user, folder);
  const data = join(folder, "data");
  await runOrThrow(join(bin, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-N"], user);
  const port = findFreePort();
  const child = new Deno.Command(join(bin, "postgres"), {
    args: [
      ...["-D", data, "-p", String(port), "-k", "", "-c", "listen_addresses=127.0.0.1"],
      // Without fsync, and without compiling plans: neither is what a test asks of this server.
      ...["-c", `shared_preload_libraries=${preload}`, "-c", "fsync=off", "-c", "jit=off"],
    ],
    cwd: "/",
    ...user,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const sql = postgres(url, { max: 2, onnotice: () => {}, connect_timeout: 30 });
  const stop = async (): Promise<void> => {
    await sql.end({ timeout: 5 });
    child.kill("SIGINT");
    await child.status;
    await Deno.remove(folder, { recursive: true });
  };
  try {
    await waitForServer(sql);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, sql, [Symbol.asyncDispose]: stop };
}

async function waitForServer(sql: Sql): Promise<void> {
  const deadline = performance.now() + 180_000;
  while (true) {
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function runOrThrow(
  command: string,
  args: string[],
  user: { uid: number; gid: number } | undefined,
): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, {
    args,
    cwd: "/",
    ...user,
    stdout: "null",
  }).output();
  if (!success) throw new Error(`${command}: ${new TextDecoder().decode(stderr)}`);
}

async function* listFolder(path: string): AsyncGenerator<Deno.DirEntry> {
  if (await exists(path)) yield* Deno.readDir(path);
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
