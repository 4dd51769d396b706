/** The files of the repository that may pin an npm package. */
import { join } from "node:path";

/** Written by tools, examples of specifiers, or of the past. */
const passedOver = [
  /(?:^|\/)(?:deno\.lock|package-lock\.json)$/,
  /^CHANGELOG\.md$/,
  /^functions\/api-docs\/(?:openapi\.json|reference\.html)$/,
  /^tests\/(?:unit|architecture)\//,
  /\.(?:svg|png|csv|sql)$/,
];

/** Whether a file is written by hand and not about specifiers themselves. */
export function mayPin(path: string): boolean {
  return !passedOver.some((pattern) => pattern.test(path));
}

/** Reads the files that git does not ignore, by path. */
export async function readPinnedFiles(root: string): Promise<Map<string, string>> {
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: ["-c", "core.quotePath=false", "ls-files", "--cached", "--others", "--exclude-standard"],
    cwd: root,
    stdin: "null",
  }).output();
  if (!success) throw new Error(`git ls-files: ${new TextDecoder().decode(stderr).trim()}`);
  const paths = new TextDecoder().decode(stdout).split("\n")
    .filter((path) => path !== "" && mayPin(path));
  const texts = new Map<string, string>();
  for (const path of paths) {
    // A link to a folder, or a file that is deleted and not committed yet.
    const text = await Deno.readTextFile(join(root, path)).catch(() => undefined);
    if (text !== undefined) texts.set(path, text);
  }
  return texts;
}
