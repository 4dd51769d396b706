import type { Context } from "hono";
import { AppError } from "../model/errors.ts";

/** Largest request body in bytes, but for provider webhooks (decisions, section 1). */
export const defaultMaxBodyBytes = 256 * 1024;

/**
 * The request's body, read here and not before: whoever has to show a credential shows it first.
 *
 * @throws {AppError} `payload_too_large` beyond the function's bound, without reading on.
 */
export async function readBody(context: Context): Promise<Uint8Array> {
  refuseDeclaredBody(context);
  const stream = context.req.raw.body;
  if (stream === null) return new Uint8Array();
  const maxBytes = readBound(context);
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop by an error cancels the stream.
  for await (const part of stream) {
    size += part.byteLength;
    if (size > maxBytes) throw new AppError("payload_too_large");
    parts.push(part);
  }
  return join(parts, size);
}

/**
 * For requests whose body nobody reads, too: one that says that it is too large is told so.
 *
 * @throws {AppError} `payload_too_large` where `Content-Length` is beyond the function's bound.
 */
export function refuseDeclaredBody(context: Context): void {
  const declared = Number(context.req.header("content-length") ?? "0");
  if (declared > readBound(context)) throw new AppError("payload_too_large");
}

function readBound(context: Context): number {
  return context.get("maxBodyBytes") ?? defaultMaxBodyBytes;
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
