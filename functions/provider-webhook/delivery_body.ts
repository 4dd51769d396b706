/** Reads the body of a delivery in bounded memory, without the files that gateways embed. */
import type { Bytes } from "../../shared/model/bytes.ts";
import { AppError } from "../../shared/model/errors.ts";

/**
 * Largest delivery in bytes, with embedded files. WhatsApp's largest video, 16 MB, is 22 MB as
 * base64 (Evolution API, "Webhook Base64").
 */
const maxTransferBytes = 30 * 1024 * 1024;

/** Longer runs of base64 characters are files: WhatsApp limits texts to 65,536 characters. */
const fileRunBytes = 64 * 1024;

const quote = 0x22;

/** For each byte, whether it is a base64 character. */
const isBase64 = Uint8Array.from(
  { length: 256 },
  (_, byte) => /[A-Za-z0-9+/=_-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/**
 * Reads the body, through `transform` where given.
 *
 * @throws {AppError} `payload_too_large` for more than `maxBytes` after `transform`, or more than
 * 30 MiB before it, also by `Content-Length` alone.
 */
export async function readDeliveryBody(
  request: Request,
  maxBytes: number,
  transform?: () => TransformStream<Uint8Array, Uint8Array>,
): Promise<Bytes> {
  const maxReceived = transform === undefined ? maxBytes : maxTransferBytes;
  if (Number(request.headers.get("content-length") ?? 0) > maxReceived) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const counted = request.body.pipeThrough(boundStream(maxReceived));
  const kept = transform === undefined ? counted : counted.pipeThrough(transform());
  return await collect(kept.pipeThrough(boundStream(maxBytes)));
}

/**
 * Truncates every run of base64 characters to 64 KiB, because a longer run is an embedded file.
 * Leaves the rest of the JSON unchanged. Uses bounded memory.
 */
export function stripFiles(): TransformStream<Uint8Array, Uint8Array> {
  let run = 0;
  return new TransformStream({
    transform(chunk, controller): void {
      let keptFrom = 0;
      for (let index = 0; index < chunk.length; index++) {
        const byte = chunk[index] ?? quote;
        if (isBase64[byte] === 1) {
          run++;
          if (run > fileRunBytes) {
            if (index > keptFrom) controller.enqueue(chunk.subarray(keptFrom, index));
            keptFrom = index + 1;
          }
          continue;
        }
        run = 0;
      }
      if (keptFrom < chunk.length) controller.enqueue(chunk.subarray(keptFrom));
    },
  });
}

function boundStream(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let received = 0;
  return new TransformStream({
    transform(chunk, controller): void {
      received += chunk.length;
      if (received > maxBytes) throw tooLarge();
      controller.enqueue(chunk);
    },
  });
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Bytes> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

function tooLarge(): AppError {
  return new AppError("payload_too_large");
}
