/** Lets test files share isolates, by modules that import several of them. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Distributes files in turn, so that the files of one folder run at the same time. */
export function distribute(files: readonly string[], isolates: number): string[][] {
  const shares: string[][] = Array.from({ length: Math.min(isolates, files.length) }, () => []);
  for (const [index, file] of files.entries()) shares[index % shares.length]?.push(file);
  return shares;
}

/**
 * Writes one module per isolate into `folder`.
 *
 * @param files test files, relative to `root`.
 * @returns the modules' paths.
 */
export async function writeSharedIsolates(
  { root, folder, files, isolates }: {
    readonly root: string;
    readonly folder: string;
    readonly files: readonly string[];
    readonly isolates: number;
  },
): Promise<string[]> {
  const modules: string[] = [];
  for (const [index, share] of distribute(files, isolates).entries()) {
    const path = join(folder, `isolate_${index + 1}_test.ts`);
    const imports = share.map((file) => `import "${pathToFileURL(join(root, file)).href}";\n`);
    await Deno.writeTextFile(path, imports.join(""));
    modules.push(path);
  }
  return modules;
}
