import type { Bytes } from "../model/bytes.ts";
import { sliceStream } from "./byte_range.ts";
import { type MediaStorage, requirePath, StorageError, type StoreOptions } from "./storage.ts";

/** Name of a complete file in its own folder. */
const contentName = "content";

/**
 * Keeps files below a folder of this machine: the local stack's storage. Each file has a folder of its
 * own, where it is written beside the former one and then renamed, so that what a killed process has left
 * is deleted with it.
 */
export function createFolderStorage(root: string): MediaStorage {
  const folderOf = (path: string): string => `${root}/${requirePath(path)}`;
  return {
    async put(path, body, { signal }): Promise<void> {
      const folder = folderOf(path);
      const partPath = `${folder}/part-${crypto.randomUUID()}`;
      const part = await onDisk(async () => {
        await Deno.mkdir(folder, { recursive: true });
        return await Deno.open(partPath, { write: true, createNew: true });
      });
      try {
        await writeAll(part, body, signal);
        await onDisk(async () => {
          await Deno.rename(partPath, `${folder}/${contentName}`);
          // With its name: a row says that it is there as soon as this resolves, and outlives a power cut.
          await part.sync();
        });
        await removeParts(folder);
      } catch (error) {
        await Deno.remove(partPath).catch(() => {});
        throw error;
      } finally {
        part.close();
      }
    },
    async open(path, part): Promise<ReadableStream<Bytes> | null> {
      try {
        const file = await Deno.open(`${folderOf(path)}/${contentName}`);
        if (part === undefined) return file.readable;
        await file.seek(part.start, Deno.SeekMode.Start);
        return sliceStream(file.readable, { start: 0, end: part.end - part.start });
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return null;
        throw toStorageError(error);
      }
    },
    async has(path): Promise<boolean> {
      try {
        return (await Deno.stat(`${folderOf(path)}/${contentName}`)).isFile;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return false;
        throw toStorageError(error);
      }
    },
    async delete(paths): Promise<void> {
      for (const path of paths) {
        await onDisk(() => Deno.remove(folderOf(path), { recursive: true })).catch((error) => {
          if (!(error instanceof MissingFile)) throw error;
        });
      }
    },
    sign: () => Promise.resolve(null),
  };
}

/** What attempts of killed processes have left. */
async function removeParts(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (name !== contentName) await Deno.remove(`${folder}/${name}`).catch(() => {});
  }
}

async function writeAll(
  file: Deno.FsFile,
  body: ReadableStream<Bytes>,
  signal: StoreOptions["signal"],
): Promise<void> {
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      signal?.throwIfAborted();
      const { value } = part;
      for (let written = 0; written < value.byteLength;) {
        const rest = value.subarray(written);
        written += await onDisk(() => file.write(rest));
      }
    }
  } catch (error) {
    await reader.cancel(error).catch(() => {});
    throw error;
  }
}

class MissingFile extends StorageError {}

async function onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toStorageError(error);
  }
}

/** A full disk or a missing folder may be mended while the work is tried again. */
function toStorageError(error: unknown): StorageError {
  return error instanceof Deno.errors.NotFound
    ? new MissingFile("unavailable")
    : new StorageError("unavailable");
}
