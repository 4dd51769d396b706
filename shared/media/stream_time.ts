/** Bounds a call and its body in time. */
import type { Bytes } from "../model/bytes.ts";
import { openParts, type PartReader, readBlocks } from "../runtime/body_blocks.ts";
import { MediaFault } from "./media_fault.ts";

export interface TimeLimit {
  readonly timeoutMs: number;
  /** Aborted on time-out: it ends the work. */
  readonly abort: AbortController;
}

/** @throws {MediaFault} `timed_out`; else what `work` throws. */
export async function withinTime<Value>(
  work: Promise<Value>,
  { timeoutMs, abort }: TimeLimit,
): Promise<Value> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new MediaFault("timed_out"));
    abort.abort();
  }, Math.max(timeoutMs, 0));
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

export interface BodyTime {
  readonly abort: AbortController;
  /** By `performance.now()`. */
  readonly endsAtMs: number;
  readonly stallTimeoutMs: number;
}

/**
 * The same body in blocks of 64 KiB, which fails with a `MediaFault` where its next part takes too long,
 * where its parts are very many and small, or where the connection is lost. Pulls from it only as it is
 * read.
 */
export function boundBody(
  body: ReadableStream<Bytes>,
  { abort, endsAtMs, stallTimeoutMs }: BodyTime,
): ReadableStream<Bytes> {
  const parts = openParts(body);
  const read = (): Promise<Uint8Array | null> => {
    const timeoutMs = Math.min(stallTimeoutMs, endsAtMs - performance.now());
    return withinTime(readPart(parts), { timeoutMs, abort });
  };
  const blocks = readBlocks({ ...parts, read }, {
    maxBytes: Infinity,
    refuse: () => new MediaFault("too_many_parts"),
  });
  return new ReadableStream<Bytes>({
    async pull(controller): Promise<void> {
      const { done, value } = await blocks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason): Promise<void> {
      await parts.cancel(reason).catch(() => {});
      abort.abort();
    },
  }, { highWaterMark: 0 });
}

async function readPart(parts: PartReader): Promise<Uint8Array | null> {
  try {
    return await parts.read();
  } catch {
    throw new MediaFault("connection_lost");
  }
}
