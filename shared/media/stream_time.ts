/** Bounds a call and its body in time. */
import type { Bytes } from "../model/bytes.ts";
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
 * The same body, which fails with a `MediaFault` where its next part takes too long, or where the
 * connection is lost. Pulls from it only as it is read.
 */
export function boundBody(
  body: ReadableStream<Bytes>,
  { abort, endsAtMs, stallTimeoutMs }: BodyTime,
): ReadableStream<Bytes> {
  const reader = body.getReader();
  return new ReadableStream<Bytes>({
    async pull(controller): Promise<void> {
      const timeoutMs = Math.min(stallTimeoutMs, endsAtMs - performance.now());
      const { done, value } = await withinTime(readPart(reader), { timeoutMs, abort });
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason): Promise<void> {
      await reader.cancel(reason).catch(() => {});
      abort.abort();
    },
  }, { highWaterMark: 0 });
}

async function readPart(
  reader: ReadableStreamDefaultReader<Bytes>,
): Promise<ReadableStreamReadResult<Bytes>> {
  try {
    return await reader.read();
  } catch {
    throw new MediaFault("connection_lost");
  }
}
