import type { Context } from "hono";
import { AppError } from "../model/errors.ts";

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
  if (!isFramedByLength(context)) return await readStream(raw.body, maxBytes);
  const body = new Uint8Array(await raw.arrayBuffer());
  if (body.byteLength > maxBytes) throw new AppError("payload_too_large");
  return body;
}

/**
 * Whether `Content-Length` alone tells where the body ends. The server then reads no further, so the
 * body can be read at once, which costs less than its stream. A chunked body ends by its chunks,
 * whatever `Content-Length` says.
 */
function isFramedByLength(context: Context): boolean {
  return context.req.header("content-length") !== undefined &&
    context.req.header("transfer-encoding") === undefined;
}

async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array> {
  if (stream === null) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let size = 0;
  // An error inside the loop cancels the stream.
  for await (const part of stream) {
    size += part.byteLength;
    if (size > maxBytes) throw new AppError("payload_too_large");
    parts.push(part);
  }
  return join(parts, size);
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

function join(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
