import type { Context } from "hono";
import type { Bytes } from "../model/bytes.ts";
import { AppError } from "../model/errors.ts";
import { type BodyFault, openParts, type PartReader, readBlocks } from "../runtime/body_blocks.ts";

/** Largest request body in bytes, except for provider webhooks and batches (decisions, section 1). */
export const maxBodyBytes = 256 * 1024;

/**
 * Reads the request's body. Guards check the credential first, so that unauthenticated bodies are
 * not read.
 *
 * @throws {AppError} `payload_too_large` beyond `maxBytes`, without reading the rest.
 */
export async function readBody(context: Context, maxBytes = maxBodyBytes): Promise<Uint8Array> {
  refuseDeclaredBody(context, maxBytes);
  const { raw } = context.req;
  if (!isFramedByLength(raw.headers)) return await readStream(raw.body, maxBytes);
  const body = new Uint8Array(await raw.arrayBuffer());
  if (body.byteLength > maxBytes) throw new AppError("payload_too_large");
  return body;
}

/**
 * Whether `Content-Length` alone tells where the body ends. The server then reads no further, so the
 * body can be read at once, which costs less than its stream. A chunked body ends by its chunks,
 * whatever `Content-Length` says.
 */
export function isFramedByLength(headers: Headers): boolean {
  return headers.has("content-length") && !headers.has("transfer-encoding");
}

async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array> {
  if (stream === null) return new Uint8Array();
  const blocks: Uint8Array[] = [];
  for await (const block of readBodyBlocks(openParts(stream), maxBytes)) blocks.push(block);
  return joinBlocks(blocks);
}

/**
 * The body in blocks of 64 KiB (see `readBlocks`).
 *
 * Fails with an `AppError` `payload_too_large` beyond `maxBytes`, and for a body in very many small parts.
 */
export function readBodyBlocks(
  parts: PartReader,
  maxBytes: number,
): AsyncGenerator<Bytes, void, void> {
  return readBlocks(parts, { maxBytes, refuse: refuseBody });
}

function refuseBody(fault: BodyFault): AppError {
  if (fault === "too_large") return new AppError("payload_too_large");
  return new AppError("payload_too_large", {
    message: "The body arrives in too many small parts: send it in parts of at least 512 bytes.",
  });
}

/**
 * Rejects a request by its `Content-Length`, also where no handler reads the body.
 *
 * @throws {AppError} `payload_too_large` where `Content-Length` exceeds `maxBytes`.
 */
export function refuseDeclaredBody(context: Context, maxBytes = maxBodyBytes): void {
  const declared = Number(context.req.header("content-length") ?? "0");
  if (declared > maxBytes) throw new AppError("payload_too_large");
}

/** One array with the bytes of all. */
export function joinBlocks(blocks: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(blocks.reduce((size, { length }) => size + length, 0));
  let offset = 0;
  for (const block of blocks) {
    whole.set(block, offset);
    offset += block.length;
  }
  return whole;
}
