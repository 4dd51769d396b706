import type { MediaConfig } from "../runtime/config.ts";
import { createFolderStorage } from "./folder_storage.ts";
import type { MediaStorage } from "./storage.ts";
import { createSupabaseStorage } from "./supabase_storage.ts";

/** The storage that the environment names. Nothing is loaded before its first file. */
export function openMediaStorage(config: MediaConfig): MediaStorage {
  return config.kind === "folder"
    ? createFolderStorage(config.folder)
    : createSupabaseStorage(config);
}
