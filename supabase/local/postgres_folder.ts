/**
 * The data folder of an embedded Postgres:
 *
 *     lock       file lock of the stack that uses the folder; the kernel releases it with the process
 *     password   password of the superuser `postgres`, mode 0600
 *     cluster/   the cluster that initdb created
 */

import { basename, dirname, join, resolve } from "node:path";
import { createHash, randomBytes } from "node:crypto";
import type { PostgresBinaries } from "./postgres_binaries.ts";
import { PostgresStartError } from "./postgres_start_error.ts";
import { makeSharedFolder } from "./shared_copy.ts";
import { canEnter, giveTo, type ServerUser } from "./server_user.ts";

/** Postgres logs in English and in UTC on every machine. */
export const serverEnvironment: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  TZ: "UTC",
  PATH: "/usr/local/bin:/usr/bin:/bin",
};

/**
 * Creates the data folder. Uses the requested path, or a folder under /var/lib named after it where
 * root's Postgres user cannot enter the requested one (a clone below /root).
 *
 * @returns the folder's path.
 */
export async function makeDataFolder(
  asked: string,
  user: ServerUser | undefined,
): Promise<string> {
  let folder = resolve(asked);
  await Deno.mkdir(dirname(folder), { recursive: true });
  if (user !== undefined && !(await canEnter(user, dirname(folder)))) {
    const digest = createHash("sha256").update(folder).digest("hex").slice(0, 8);
    const name = folder.replaceAll(/[^A-Za-z0-9]+/g, "-").replace(/^-/, "").slice(-60);
    folder = join(await makeSharedFolder("data"), `${name}-${digest}`);
  }
  await Deno.mkdir(folder, { recursive: true, mode: 0o755 });
  await giveTo(user, folder);
  await Deno.chmod(folder, 0o700).catch((cause) => {
    throw new PostgresStartError(
      "folder_unusable",
      `The folder ${folder} belongs to another user: start as that user, or choose another folder.`,
      { cause },
    );
  });
  return folder;
}

/**
 * Locks the folder for this process.
 *
 * @throws {PostgresStartError} `already_running` while another process, or another stack in this
 *   process, holds the lock. The kernel releases the lock of a dead process.
 */
export async function lockDataFolder(
  folder: string,
  user: ServerUser | undefined,
): Promise<Deno.FsFile> {
  const path = join(folder, "lock");
  const file = await Deno.open(path, { create: true, read: true, write: true, mode: 0o600 });
  if (!(await file.tryLock(true))) {
    file.close();
    const holder = (await Deno.readTextFile(path)).trim();
    throw new PostgresStartError(
      "already_running",
      `A Postgres of ${folder} is already running (started by process ${holder}): stop that one first, or choose another folder.`,
    );
  }
  await giveTo(user, path);
  await file.truncate();
  await file.write(new TextEncoder().encode(`${Deno.pid}\n`));
  return file;
}

/** Creates the cluster on the first start. @returns the superuser's password. */
export async function makeCluster(
  folder: string,
  binaries: PostgresBinaries,
  user: ServerUser | undefined,
  durable: boolean,
): Promise<string> {
  const cluster = join(folder, "cluster");
  if (await exists(join(cluster, "PG_VERSION"))) return await readPassword(folder);
  const password = await writePassword(folder, user);
  // initdb writes to a draft folder, so a killed start never leaves half a cluster.
  const draft = join(folder, "cluster.draft");
  await Deno.remove(draft, { recursive: true }).catch(() => {});
  await runInitdb(binaries.initdb, draft, join(folder, "password"), user, durable);
  await Deno.rename(draft, cluster);
  return password;
}

async function runInitdb(
  initdb: string,
  clusterDir: string,
  passwordFile: string,
  user: ServerUser | undefined,
  durable: boolean,
): Promise<void> {
  const args = [
    `--pgdata=${clusterDir}`,
    `--pwfile=${passwordFile}`,
    "--username=postgres",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    ...(durable ? [] : ["--no-sync"]),
  ];
  const options = { args, cwd: "/", clearEnv: true, env: { ...serverEnvironment }, ...user };
  const { success, stderr } = await new Deno.Command(initdb, options).output();
  if (success) return;
  throw new PostgresStartError(
    "server_failed",
    `${basename(initdb)} could not make ${clusterDir}: ${new TextDecoder().decode(stderr).trim()}`,
  );
}

async function writePassword(folder: string, user: ServerUser | undefined): Promise<string> {
  const password = randomBytes(24).toString("base64url");
  const path = join(folder, "password");
  await Deno.writeTextFile(path, `${password}\n`, { mode: 0o600 });
  await giveTo(user, path);
  return password;
}

async function readPassword(folder: string): Promise<string> {
  try {
    return (await Deno.readTextFile(join(folder, "password"))).trim();
  } catch (cause) {
    throw new PostgresStartError(
      "folder_unusable",
      `The folder ${folder} has a cluster but no readable password file: put the file back, or remove the folder to start again.`,
      { cause },
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
