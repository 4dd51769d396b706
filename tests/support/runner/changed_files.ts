/** Asks git what has changed. */

import { join } from "node:path";

/**
 * Lists the files that differ from `main`: commits of the branch, and the working tree with new files.
 * Includes deleted files.
 */
export async function listChangedFiles(root: string): Promise<string[]> {
  const base = await runGit(root, "merge-base", "HEAD", "main").catch(() => ["HEAD"]);
  const tracked = await runGit(root, "diff", "--name-only", "--no-renames", base[0] ?? "HEAD");
  const untracked = await runGit(root, "ls-files", "--others", "--exclude-standard");
  return [...new Set([...tracked, ...untracked])].sort();
}

/** Lists the files that git does not ignore. @param pattern of git, such as `*.ts`. */
export async function listOwnFiles(root: string, pattern = "*"): Promise<string[]> {
  return await runGit(
    root,
    ...["ls-files", "--cached", "--others", "--exclude-standard", "--", pattern],
  );
}

/** Reads the text of every TypeScript file that git does not ignore. */
export async function readModules(root: string): Promise<Map<string, string>> {
  const paths = await listOwnFiles(root, "*.ts");
  const texts = new Map<string, string>();
  for (const path of paths) {
    const text = await Deno.readTextFile(join(root, path)).catch(() => undefined);
    if (text !== undefined) texts.set(path, text);
  }
  return texts;
}

async function runGit(cwd: string, ...args: readonly string[]): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: ["-c", "core.quotePath=false", ...args],
    cwd,
    stdin: "null",
  }).output();
  if (!success) throw new Error(`git ${args[0]}: ${new TextDecoder().decode(stderr).trim()}`);
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}
