/** Files that are stored, as the database says, and that the storage no longer has. */
import type { Database } from "../database/database.ts";
import type { MediaDescription } from "../database/rpcs/media_uploads.ts";
import { type MediaStorage, StorageError } from "../media/storage.ts";

export interface StoredFileServices {
  readonly database: Database;
  readonly storage: Pick<MediaStorage, "has" | "open">;
}

/**
 * Whether the storage has a file that is `stored`. One that it has lost is `expired` from now on. A storage
 * that does not tell has it: the send itself finds out.
 */
export async function isStillStored(
  { database, storage }: StoredFileServices,
  { mediaId, status, storagePath }: Pick<MediaDescription, "mediaId" | "status" | "storagePath">,
): Promise<boolean> {
  if (status !== "stored" || storagePath === null) return false;
  try {
    if (await storage.has(storagePath)) return true;
  } catch (error) {
    if (error instanceof StorageError) return true;
    throw error;
  }
  await database.rpc("expire_lost_media", { mediaId });
  return false;
}
