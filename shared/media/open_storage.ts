import type { MediaConfig } from "../runtime/config.ts";
import type { MediaStorage } from "./storage.ts";

/** The storage that the environment names. Nothing is loaded before its first file. */
export function openMediaStorage(config: MediaConfig): MediaStorage {
  let storage: Promise<MediaStorage> | undefined;
  const load = (): Promise<MediaStorage> => storage ??= loadStorage(config);
  return {
    put: async (path, body, options) => await (await load()).put(path, body, options),
    open: async (path, part) => await (await load()).open(path, part),
    has: async (path) => await (await load()).has(path),
    delete: async (paths) => await (await load()).delete(paths),
    sign: async (path, options) => await (await load()).sign(path, options),
  };
}

async function loadStorage(config: MediaConfig): Promise<MediaStorage> {
  if (config.kind === "folder") {
    const { createFolderStorage } = await import("./folder_storage.ts");
    return createFolderStorage(config.folder);
  }
  const { createSupabaseStorage } = await import("./supabase_storage.ts");
  return createSupabaseStorage(config);
}
