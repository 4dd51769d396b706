/** Checks out an earlier release as a baseline. */

import { fileURLToPath } from "node:url";

/** The baseline of comparisons with an earlier release: the last commit before calls were optimized. */
export const formerRelease = "cbe5b0c9f23c32ab80a838288088024ec89f0ddb";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A checkout in a temporary folder, removed when disposed of. */
export interface FormerRelease extends AsyncDisposable {
  readonly root: string;
}

/**
 * Checks a commit or tag out into a temporary folder.
 *
 * @throws {Error} when git does not have the commit, for example in a shallow clone.
 */
export async function checkOutFormerRelease(reference: string): Promise<FormerRelease> {
  const folder = await Deno.makeTempDir({ prefix: "messaging-bench-former-" });
  const remove = async (): Promise<void> => {
    await runGit(["worktree", "remove", "--force", folder]).catch(() => {});
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  };
  try {
    await runGit(["worktree", "add", "--force", "--detach", folder, reference]);
  } catch (error) {
    await remove();
    throw error;
  }
  return { root: folder, [Symbol.asyncDispose]: remove };
}

async function runGit(args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("git", {
    args: [...args],
    cwd: root,
    stdin: "null",
  }).output();
  if (!success) throw new Error(`git ${args[0]}: ${new TextDecoder().decode(stderr).trim()}`);
}
