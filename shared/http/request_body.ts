/**
 * Reads the bodies of requests: the only module that touches them, so that every body is bounded in
 * size and in time (arriving_bodies.ts), whatever function it is for.
 */
import type { Context } from "hono";
import type { Bytes } from "../model/bytes.ts";
import { AppError, refuseOverload } from "../model/errors.ts";
import { ArrivalError, arrivingBodies } from "../runtime/arriving_bodies.ts";
import { type BodyFault, openParts, type PartReader, readBlocks } from "../runtime/body_blocks.ts";
import { loadCounters } from "../runtime/load_counters.ts";

/** Largest request body in bytes, except for provider webhooks and batches (decisions, section 1). */
export const maxBodyBytes = 256 * 1024;

/**
 * A body of this length that comes at the least pace takes no longer than a sender may be silent, so it
 * is read at once: that costs 30 µs less than to read its stream.
 */
const shortBodyBytes = 10_000;

/** Its sender has gone in the middle of the body, or has sent what is no body. */
export class BrokenBodyError extends AppError {
  constructor() {
    super("invalid_request", { message: "The connection has ended before the body was whole." });
  }
}

/**
 * Reads the request's body. Guards check the credential first, so that unauthenticated bodies are
 * not read.
 *
 * @throws {AppError} `payload_too_large` beyond `maxBytes`, without reading the rest; `request_timeout`
 * for one that comes too slowly; a `BrokenBodyError`.
 */
export async function readBody(context: Context, maxBytes = maxBodyBytes): Promise<Uint8Array> {
  refuseDeclaredBody(context, maxBytes);
  const { raw } = context.req;
  if (!isShort(raw.headers)) return await readStream(raw, maxBytes);
  const body = new Uint8Array(
    await refusingFaults(() => arrivingBodies.begin().wait(raw.arrayBuffer())),
  );
  if (body.byteLength > maxBytes) throw new AppError("payload_too_large");
  return body;
}

/**
 * Whether `Content-Length` alone tells where the body ends. The server then reads no further. A chunked
 * body ends by its chunks, whatever `Content-Length` says.
 */
export function isFramedByLength(headers: Headers): boolean {
  return headers.has("content-length") && !headers.has("transfer-encoding");
}

function isShort(headers: Headers): boolean {
  return isFramedByLength(headers) && Number(headers.get("content-length")) <= shortBodyBytes;
}

/** A body that is read in parts. */
export interface OpenBody extends PartReader {
  /** Ends the reading with this error. */
  fail(error: Error): void;
}

/**
 * Opens the request's body to be read in parts; null where it has none.
 *
 * The reading fails with an `AppError`: `request_timeout`, or a `BrokenBodyError`.
 */
export function openBody(request: Request): OpenBody | null {
  const parts = isShort(request.headers) ? readAtOnce(request) : openStream(request);
  if (parts === null) return null;
  const arrival = arrivingBodies.begin();
  return {
    read: async () => {
      const part = await refusingFaults(() => arrival.wait(parts.read()));
      arrival.add(part?.length ?? 0);
      return part;
    },
    cancel: (reason) => parts.cancel(reason),
    fail: (error) => arrival.fail(error),
  };
}

function openStream({ body }: Request): PartReader | null {
  return body === null ? null : openParts(body);
}

/** A short body as its only part. */
function readAtOnce(request: Request): PartReader {
  let isRead = false;
  return {
    read: async () => {
      if (isRead) return null;
      const whole = new Uint8Array(await request.arrayBuffer());
      isRead = true;
      return whole.length === 0 ? null : whole;
    },
    cancel: () => Promise.resolve(),
  };
}

async function readStream(request: Request, maxBytes: number): Promise<Uint8Array> {
  const parts = openBody(request);
  if (parts === null) return new Uint8Array();
  const blocks: Uint8Array[] = [];
  for await (const block of readBodyBlocks(parts, maxBytes)) blocks.push(block);
  return joinBlocks(blocks);
}

/** Whatever else fails is the connection: the runtime has no name of its own for it. */
async function refusingFaults<Part>(read: () => Promise<Part>): Promise<Part> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (!(error instanceof ArrivalError)) throw new BrokenBodyError();
    loadCounters.count(error.fault === "displaced" ? "body_displaced" : "body_timed_out");
    throw error.fault === "displaced" ? refuseOverload() : new AppError("request_timeout");
  }
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
