/** Files of earlier states of this repository, taken from git into temporary folders. */

import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A state of the repository in a folder of its own, removed when disposed of. */
export interface Checkout extends AsyncDisposable {
  readonly root: string;
}

/** Git cannot answer: it is not installed, or does not have what was asked for. */
export class GitError extends Error {
  override readonly name = "GitError";
}

/**
 * Takes the files of a commit or tag. The repository itself stays as it is.
 *
 * @throws {GitError} when git does not have the commit, for example in a shallow clone.
 */
export async function checkOut(reference: string): Promise<Checkout> {
  const folder = await Deno.makeTempDir({ prefix: "messaging-checkout-" });
  const archive = await Deno.makeTempFile({ prefix: "messaging-checkout-", suffix: ".tar" });
  const remove = (): Promise<void> => Deno.remove(folder, { recursive: true });
  try {
    await runGit(["archive", "--format=tar", `--output=${archive}`, reference]);
    await unpack(archive, folder);
  } catch (error) {
    await remove();
    throw error;
  } finally {
    await Deno.remove(archive);
  }
  // Root's Postgres user reads files of a checkout too.
  await Deno.chmod(folder, 0o755);
  return { root: folder, [Symbol.asyncDispose]: remove };
}

async function unpack(archive: string, folder: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("tar", {
    args: ["-xf", archive, "-C", folder],
    stdin: "null",
  }).output();
  if (!success) throw new Error(`tar: ${new TextDecoder().decode(stderr).trim()}`);
}

/** Runs git in a folder, by default the repository's. @throws {GitError} */
export async function runGit(args: readonly string[], folder = root): Promise<string> {
  const output = await new Deno.Command("git", {
    // The folder may belong to another user, as in a container of CI.
    args: ["-c", `safe.directory=${folder.replace(/\/$/, "")}`, ...args],
    cwd: folder,
    stdin: "null",
  }).output().catch((error) => {
    throw new GitError("git is not installed", { cause: error });
  });
  if (!output.success) {
    const detail = new TextDecoder().decode(output.stderr).trim();
    throw new GitError(`git ${args[0]}: ${detail}`);
  }
  return new TextDecoder().decode(output.stdout).trim();
}
