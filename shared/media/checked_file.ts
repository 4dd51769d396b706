/** Takes a file from a stream: its type by its first bytes, its size and its SHA-256 as it passes. */
import { createHash } from "node:crypto";
import type { Bytes } from "../model/bytes.ts";
import { decideReceivedType, decideUploadType, type DeclaredMedia } from "./decide_type.ts";
import { MediaFault } from "./media_fault.ts";
import { maxBytesOfKind, maxMediaBytes, type MediaKind } from "./media_rules.ts";
import { sniffedBytes } from "./sniff_type.ts";

/** A file that arrives. */
export interface MediaSource extends DeclaredMedia {
  readonly body: ReadableStream<Bytes>;
  /** The size that the sender announces; null where it does not. */
  readonly contentLength: number | null;
}

/** What has to hold of a file. */
export interface FileRule {
  /** What it is received as; absent for an upload, whose type says it. */
  readonly kind?: MediaKind | undefined;
  /** Lower-case hexadecimal. */
  readonly sha256?: string | null | undefined;
}

/** The size and the digest of a whole file. */
export interface FileFacts {
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** A file whose beginning is known, and whose rest is checked as it is read. */
export interface CheckedFile {
  readonly mimeType: string;
  readonly kind: MediaKind;
  /**
   * The whole file. Ends with a `MediaFault` in place of its last bytes where a rule does not hold, so
   * that nobody keeps such a file by mistake.
   */
  readonly body: ReadableStream<Bytes>;
  /** What the file turned out to be. @throws Error before `body` was read to its end: a defect. */
  facts(): FileFacts;
}

/**
 * Reads a file's first bytes and decides its type; the rest is checked while `body` is read. Cancels
 * the source where it throws.
 *
 * @throws {MediaFault} where the type is not allowed or not what was declared, or where the announced
 * size is too large.
 */
export async function openFile(source: MediaSource, rule: FileRule = {}): Promise<CheckedFile> {
  const reader = source.body.getReader();
  try {
    refuseAnnounced(source, rule.kind === undefined ? maxMediaBytes : maxBytesOfKind[rule.kind]);
    const chunks = await readHead(reader);
    const head = join(chunks);
    if (head.byteLength === 0) throw new MediaFault("empty_file");
    const { mimeType, kind } = rule.kind === undefined
      ? decideUploadType(head, source)
      : decideReceivedType(head, source, rule.kind);
    const maxBytes = maxBytesOfKind[kind];
    refuseAnnounced(source, maxBytes);
    const check = new FileCheck(maxBytes, rule.sha256 ?? null);
    return {
      mimeType,
      kind,
      body: createBody(reader, chunks, check),
      facts: () => check.facts(),
    };
  } catch (error) {
    // The source may have failed itself: then there is nothing to cancel.
    await reader.cancel(error).catch(() => {});
    throw error;
  }
}

function refuseAnnounced({ contentLength }: MediaSource, maxBytes: number): void {
  if (contentLength !== null && contentLength > maxBytes) throw new MediaFault("too_large");
}

type Reader = ReadableStreamDefaultReader<Bytes>;

async function readHead(reader: Reader): Promise<Bytes[]> {
  const chunks: Bytes[] = [];
  for (let size = 0; size < sniffedBytes;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.byteLength;
  }
  return chunks;
}

function join(chunks: readonly Bytes[]): Uint8Array {
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0];
  const whole = new Uint8Array(chunks.reduce((size, { byteLength }) => size + byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}

/** Pulls from the source only as its own reader pulls: one chunk is in memory at a time. */
function createBody(reader: Reader, head: Bytes[], check: FileCheck): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>({
    async pull(controller): Promise<void> {
      try {
        const chunk = head.shift() ?? (await reader.read()).value;
        if (chunk === undefined) {
          check.finish();
          controller.close();
          return;
        }
        check.add(chunk);
        controller.enqueue(chunk);
      } catch (error) {
        await reader.cancel(error).catch(() => {});
        throw error;
      }
    },
    async cancel(reason): Promise<void> {
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}

/** Counts and digests a file. Web Crypto digests whole buffers only. */
class FileCheck {
  readonly #hash = createHash("sha256");
  #size = 0;
  #sha256: string | null = null;

  constructor(private readonly maxBytes: number, private readonly expected: string | null) {}

  add(chunk: Uint8Array): void {
    this.#size += chunk.byteLength;
    if (this.#size > this.maxBytes) throw new MediaFault("too_large");
    this.#hash.update(chunk);
  }

  finish(): void {
    this.#sha256 = this.#hash.digest("hex");
    if (this.expected !== null && this.#sha256 !== this.expected) {
      throw new MediaFault("wrong_sha256");
    }
  }

  facts(): FileFacts {
    if (this.#sha256 === null) throw new Error("the file was not read to its end");
    return { size: this.#size, sha256: this.#sha256 };
  }
}
