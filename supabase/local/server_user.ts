import { PostgresStartError } from "./postgres_start_error.ts";

/** The system user that a child process runs as. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const userName = "postgres";

/**
 * Finds the user to run Postgres as, because Postgres refuses to run as root. For root this is the owner
 * of an existing data folder, else the system user `postgres`, created when missing.
 *
 * @returns undefined for an ordinary user: Postgres runs as the current user.
 * @throws {PostgresStartError} `user_missing` when the user can be neither found nor created.
 */
export async function findServerUser(dataDir: string): Promise<ServerUser | undefined> {
  if (Deno.uid() !== 0) return undefined;
  const owner = await readOwner(dataDir);
  if (owner !== undefined && owner.uid !== 0) return owner;
  const existing = await lookUpUser();
  if (existing !== undefined) return existing;
  await run("useradd", ["--system", "--user-group", "--no-create-home", userName]);
  // Looked up even after a failed useradd: another start may have created the user.
  const created = await lookUpUser();
  if (created !== undefined) return created;
  throw new PostgresStartError(
    "user_missing",
    `Postgres cannot run as root, and the system user "${userName}" could not be created: create it (useradd --system ${userName}) or start as an ordinary user.`,
  );
}

/** Whether a user can enter a folder: search permission on it and on all its parents. */
export async function canEnter(user: ServerUser | undefined, folder: string): Promise<boolean> {
  const options = { args: ["-c", 'cd -- "$1"', "sh", folder], cwd: "/", ...user };
  return (await new Deno.Command("sh", { ...options, stderr: "null" }).output()).success;
}

/** Changes the owner of a file or folder to the server's user. Does nothing for the current user. */
export async function giveTo(user: ServerUser | undefined, path: string): Promise<void> {
  if (user !== undefined) await Deno.chown(path, user.uid, user.gid);
}

async function readOwner(path: string): Promise<ServerUser | undefined> {
  try {
    const { uid, gid } = await Deno.stat(path);
    return uid === null || gid === null ? undefined : { uid, gid };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function lookUpUser(): Promise<ServerUser | undefined> {
  const uid = await run("id", ["-u", userName]);
  const gid = await run("id", ["-g", userName]);
  return uid === undefined || gid === undefined
    ? undefined
    : { uid: Number(uid), gid: Number(gid) };
}

async function run(command: string, args: string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command(command, { args, stderr: "null" }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
