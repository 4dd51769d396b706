import type { Bytes } from "../model/bytes.ts";
import { sliceStream } from "./byte_range.ts";
import {
  type FilePart,
  type MediaStorage,
  requirePath,
  type SigningOptions,
  StorageError,
  type StoreOptions,
} from "./storage.ts";

/** The private bucket that the migrations make (`messaging.create_media_bucket`). */
export const mediaBucket = "messaging-media";

export interface SupabaseStorageOptions {
  /** The project's URL. */
  readonly url: string;
  readonly secretKey: string;
  /** Time limit of a call that transfers no file. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 20_000;

/** Keeps files in a private bucket of Supabase Storage, through its own client. */
export function createSupabaseStorage(options: SupabaseStorageOptions): MediaStorage {
  return new SupabaseStorage(options);
}

type Client = Awaited<ReturnType<typeof openClient>>;
type Bucket = ReturnType<Client["from"]>;

class SupabaseStorage implements MediaStorage {
  constructor(private readonly options: SupabaseStorageOptions) {}

  async put(
    path: string,
    body: ReadableStream<Bytes>,
    { contentType, signal }: StoreOptions,
  ): Promise<void> {
    const end = signal ?? new AbortController().signal;
    const source = watch(body, end);
    const bucket = (await openClient(this.options, end)).from(mediaBucket);
    const { error } = await bucket.upload(requirePath(path), source.body, {
      contentType,
      upsert: true,
      duplex: "half",
      // The file never changes, but nobody else may keep it. The client puts `max-age=` before it.
      cacheControl: "3600, private",
    });
    if (error === null) return;
    await source.end();
    end.throwIfAborted();
    if (source.error() !== undefined) throw source.error();
    throw toStorageError(error);
  }

  open(path: string, part?: FilePart): Promise<ReadableStream<Bytes> | null> {
    let status = 0;
    return this.#withinLimit(async (bucket) => {
      const { data, error } = await bucket.download(requirePath(path)).asStream();
      if (error === null) {
        const content = data as ReadableStream<Bytes>;
        // Where it knows no parts, it gives the whole.
        return part === undefined || status === 206 ? content : sliceStream(content, part);
      }
      if (!isMissing(error)) throw toStorageError(error);
      await this.#confirmMissing();
      return null;
    }, { part, onAnswer: (answered) => status = answered });
  }

  has(path: string): Promise<boolean> {
    return this.#withinLimit(async (bucket) => {
      const { error } = await bucket.info(requirePath(path));
      if (error === null) return true;
      if (!isMissing(error)) throw toStorageError(error);
      await this.#confirmMissing();
      return false;
    });
  }

  delete(paths: readonly string[]): Promise<void> {
    return this.#withinLimit(async (bucket) => {
      if (paths.length === 0) return;
      const { error } = await bucket.remove(paths.map(requirePath));
      if (error !== null && !isMissing(error)) throw toStorageError(error);
    });
  }

  sign(path: string, { expiresInSeconds, downloadName }: SigningOptions): Promise<string> {
    return this.#withinLimit(async (bucket) => {
      const { data, error } = await bucket.createSignedUrl(requirePath(path), expiresInSeconds);
      if (error === null) return withDownloadName(data.signedUrl, downloadName);
      if (!isMissing(error)) throw toStorageError(error);
      await this.#confirmMissing();
      throw new StorageError("missing");
    });
  }

  /**
   * Storage answers a wrong key and a missing bucket as it answers a missing file. It shows the bucket only
   * to who may read the file.
   *
   * @throws {StorageError} where the file may be there all the same.
   */
  async #confirmMissing(): Promise<void> {
    await this.#withinLimit(async (_, client) => {
      const { error } = await client.getBucket(mediaBucket);
      if (error === null) return;
      throw isMissing(error) ? new StorageError("refused") : toStorageError(error);
    });
  }

  /** A call with a time limit for everything up to its answer's beginning. */
  async #withinLimit<Result>(
    work: (bucket: Bucket, client: Client) => Promise<Result>,
    { part, onAnswer = () => {} }: PartialCall = {},
  ): Promise<Result> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), this.options.timeoutMs ?? defaultTimeoutMs);
    const stop = (): void => clearTimeout(timer);
    try {
      const settle = (response: Response | null): void => {
        stop();
        onAnswer(response?.status ?? 0);
      };
      const client = await openClient(this.options, abort.signal, settle, part);
      return await work(client.from(mediaBucket), client);
    } finally {
      stop();
    }
  }
}

/**
 * A client of its own for each call: the client takes an end of a call only by its `fetch`. It is loaded with
 * the first file, so that a function that only makes links does not pay for it.
 */
// deno-lint-ignore explicit-function-return-type -- the type of a class that is loaded later
async function openClient(
  { url, secretKey }: SupabaseStorageOptions,
  signal: AbortSignal,
  onSettle: (response: Response | null) => void = () => {},
  part?: FilePart,
) {
  const { StorageClient } = await import("@supabase/storage-js");
  const headers: Record<string, string> = {
    apikey: secretKey,
    authorization: `Bearer ${secretKey}`,
  };
  if (part !== undefined) headers["range"] = `bytes=${part.start}-${part.end - 1}`;
  const bound: typeof fetch = async (input, init) => {
    let response: Response | null = null;
    try {
      response = await fetch(input, { ...init, redirect: "manual", signal });
      return response;
    } finally {
      onSettle(response);
    }
  };
  return new StorageClient(`${url.replace(/(?<!\/)\/+$/, "")}/storage/v1`, headers, bound);
}

/** A call for a part of a file. */
interface PartialCall {
  readonly part?: FilePart | undefined;
  /** Called with the status of the answer; 0 for none. */
  readonly onAnswer?: (status: number) => void;
}

/** The client itself would encode the name twice: `relatório` would be saved as `relat%C3%B3rio`. */
function withDownloadName(signedUrl: string, name: string | null): string {
  return name === null ? signedUrl : `${signedUrl}&download=${encodeURIComponent(name)}`;
}

/** An error as the client gives it; every field is uncertain. */
interface ClientError {
  readonly status?: unknown;
  readonly statusCode?: unknown;
}

/** Storage answers a missing file with 400, and 404 inside the answer. */
function statusesOf({ status, statusCode }: ClientError): number[] {
  return [Number(statusCode), Number(status)].filter((code) => Number.isInteger(code));
}

function isMissing(error: ClientError): boolean {
  return statusesOf(error).includes(404);
}

function toStorageError(error: ClientError): StorageError {
  const statuses = statusesOf(error);
  if (statuses.includes(413)) return new StorageError("too_large");
  const isTemporary = statuses.length === 0 ||
    statuses.some((code) => code >= 500 || code === 429 || code === 408);
  return new StorageError(isTemporary ? "unavailable" : "refused");
}

interface WatchedBody {
  readonly body: ReadableStream<Bytes>;
  /** What `body` itself failed with. */
  error(): unknown;
  /** Lets the source go where the storage has not read it to its end. */
  end(): Promise<void>;
}

/**
 * The client hides which side a call failed on, so the body's own error is noted on its way. The runtime
 * goes on reading the body of a call that was ended, so the body ends with it.
 */
function watch(source: ReadableStream<Bytes>, end: AbortSignal): WatchedBody {
  const reader = source.getReader();
  let failure: unknown;
  const body = new ReadableStream<Bytes>({
    async pull(controller): Promise<void> {
      try {
        end.throwIfAborted();
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        failure = error;
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return {
    body,
    error: () => failure,
    end: async () => await reader.cancel().catch(() => {}),
  };
}
