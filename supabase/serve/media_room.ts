import { statfs } from "node:fs/promises";

/** With less no file is stored: a photo of a phone has more. */
const leastBytes = 1_048_576;

/** Whether a disk has room for files. A folder that is not there yet is made by the first file. */
export async function hasRoom(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= leastBytes;
  } catch {
    return true;
  }
}
