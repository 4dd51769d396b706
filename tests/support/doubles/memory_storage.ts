import type { MediaStorage } from "../../../shared/media/storage.ts";
import { StorageError } from "../../../shared/media/storage.ts";

/** A storage of files that keeps them in memory, and can be away. */
export interface MemoryStorage extends MediaStorage {
  /** Complete files by their paths. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** While true, every call fails as with a storage that cannot be reached. */
  isAway: boolean;
}

/** Creates an empty storage. */
export function createMemoryStorage(): MemoryStorage {
  const files = new Map<string, ReturnType<TextEncoder["encode"]>>();
  const requirePresence = (): void => {
    if (storage.isAway) throw new StorageError("unavailable");
  };
  const storage: MemoryStorage = {
    files,
    isAway: false,
    put: async (path, body, { signal }) => {
      requirePresence();
      const bytes = new Uint8Array(await new Response(body).arrayBuffer());
      signal?.throwIfAborted();
      files.set(path, bytes);
    },
    open: (path, part) => {
      requirePresence();
      const bytes = files.get(path)?.slice(part?.start, part?.end);
      return Promise.resolve(bytes === undefined ? null : new Blob([bytes]).stream());
    },
    has: (path) => {
      requirePresence();
      return Promise.resolve(files.has(path));
    },
    delete: (paths) => {
      requirePresence();
      for (const path of paths) files.delete(path);
      return Promise.resolve();
    },
    sign: () => Promise.resolve(null),
  };
  return storage;
}
