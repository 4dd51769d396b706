import { join } from "node:path";

/** The test files below a folder, as paths relative to `root`. */
export async function listTests(root: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of Deno.readDir(join(root, folder))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) files.push(...await listTests(root, path));
    else if (entry.name.endsWith("_test.ts")) files.push(path);
  }
  return files.sort();
}
