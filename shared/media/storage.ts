/** Where files of messages are kept: one interface, behind which any private storage can stand. */
import type { Bytes } from "../model/bytes.ts";

export interface StoreOptions {
  /** What the storage says the file is when it serves it. */
  readonly contentType: string;
  /** Ends the storing. Nothing is stored then. */
  readonly signal?: AbortSignal | undefined;
}

export interface SigningOptions {
  readonly expiresInSeconds: number;
  /** Makes a browser save the file under this name; null shows it. */
  readonly downloadName: string | null;
}

/** Some bytes of a file. */
export interface FilePart {
  readonly start: number;
  readonly end: number;
}

/**
 * A private storage of files. A file is there as a whole or not at all: a reader never sees a part, and
 * a file that is stored again replaces the former one at once. Every failure of the storage itself is
 * a `StorageError`.
 */
export interface MediaStorage {
  /**
   * Stores what `body` gives. Holds no more of it in memory than a few chunks. An error of `body`
   * rejects as it is, and nothing is stored.
   */
  put(path: string, body: ReadableStream<Bytes>, options: StoreOptions): Promise<void>;
  /**
   * The content, or the bytes of it from `start` up to, and without, `end`, of which nothing else is read;
   * null where there is no such file. Read it to its end, or cancel it.
   */
  open(path: string, part?: FilePart): Promise<ReadableStream<Bytes> | null>;
  /** Whether there is such a file, whole. */
  has(path: string): Promise<boolean>;
  /** Deletes files and what an interrupted `put` has left of them. Missing ones are no error. */
  delete(paths: readonly string[]): Promise<void>;
  /**
   * A URL of the storage's own that serves the file; null where it serves none itself.
   *
   * @throws {StorageError} `missing` where there is no such file.
   */
  sign(path: string, options: SigningOptions): Promise<string | null>;
}

/**
 * Why the storage did not do it. `unavailable`: it may later. `too_large`: its own limit is below the
 * file's size. `missing`: it has no such file, and it is certain that it would know it. `refused`: anything
 * else, a defect of the set-up.
 */
export type StorageFailure = "unavailable" | "too_large" | "missing" | "refused";

/** The storage has failed. The message names neither the file nor the storage's key. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  constructor(readonly reason: StorageFailure) {
    super(`the media storage failed: ${reason}`);
  }
}

/** Paths are made by this service (`messaging.media_path`): two ids. Anything else is a defect. */
const pathPattern = /^[0-9a-f-]{36}\/[0-9a-f-]{36}$/;

/** @throws Error for a path of another form, which could lead out of the storage's folder. */
export function requirePath(path: string): string {
  if (!pathPattern.test(path)) throw new Error("a path of the media storage is malformed");
  return path;
}
