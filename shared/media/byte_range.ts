/** Parts of files (RFC 9110, section 14): players ask for them, and Safari plays nothing without. */
import type { Bytes } from "../model/bytes.ts";
import type { FilePart } from "./storage.ts";

/** Some of the bytes of a file of `size`: from `start` up to, and without, `end`. */
export interface ByteRange extends FilePart {
  readonly size: number;
}

/**
 * The one part of a file that a request asks for. Null where the whole is to be answered: without `Range`,
 * for several parts, for one that the file does not have, and with `If-Range`, whose condition only a file
 * with an `ETag` can meet.
 */
export function readByteRange(headers: Headers, size: number | null): ByteRange | null {
  const [, first = "", last = ""] = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/
    .exec(headers.get("range")?.trim() ?? "") ?? [];
  if (size === null || headers.has("if-range") || first + last === "") return null;
  const range = first === ""
    ? { start: Math.max(0, size - Number(last)), end: size, size }
    : { start: Number(first), end: last === "" ? size : Math.min(size, Number(last) + 1), size };
  return range.start < range.end ? range : null;
}

/** The headers of an answer with this part, in place of the whole's. */
export function listRangeHeaders({ start, end, size }: ByteRange): Record<string, string> {
  return {
    "Content-Length": String(end - start),
    "Content-Range": `bytes ${start}-${end - 1}/${size}`,
  };
}

/** Those bytes of a file's content. Reads what precedes them, and cancels the rest. */
export function sliceStream(
  content: ReadableStream<Bytes>,
  { start, end }: FilePart,
): ReadableStream<Bytes> {
  const reader = content.getReader();
  let position = 0;
  return new ReadableStream<Bytes>({
    async pull(controller): Promise<void> {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const part = value.subarray(Math.max(0, start - position), Math.max(0, end - position));
        position += value.byteLength;
        if (part.byteLength > 0) controller.enqueue(part);
        if (position >= end) {
          controller.close();
          return await reader.cancel();
        }
        if (part.byteLength > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
