import { join } from "node:path";

/** Folders without tests of this repository. */
const skippedFolders = ["node_modules", "dist"];

/** The test files below a folder, as paths relative to `root`. */
export async function listTests(root: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of Deno.readDir(join(root, folder))) {
    const path = `${folder}/${entry.name}`;
    if (skippedFolders.includes(entry.name)) continue;
    if (entry.isDirectory) files.push(...await listTests(root, path));
    else if (entry.name.endsWith("_test.ts")) files.push(path);
  }
  return files.sort();
}
