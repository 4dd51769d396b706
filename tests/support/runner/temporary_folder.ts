/** Where a run keeps its databases and other temporary files. */

import { freemem } from "node:os";
import { statfsSync } from "node:fs";

const memoryFolder = "/dev/shm";
/** Several times what a whole run takes. */
const neededBytes = 6 * 2 ** 30;

/**
 * Keeps temporary files in memory where there is plenty of it, for this process and those that it starts:
 * creating and deleting the files of databases on a disk took a tenth of a run's processor time. A
 * folder that TMPDIR names stays.
 */
export function keepTemporaryFilesInMemory(): void {
  if (Deno.env.has("TMPDIR") || freemem() < neededBytes) return;
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    if (bavail * bsize < neededBytes) return;
    Deno.removeSync(Deno.makeTempDirSync({ dir: memoryFolder }));
  } catch {
    // Another system, or a folder that this user may not write to.
    return;
  }
  Deno.env.set("TMPDIR", memoryFolder);
}
