import type { Context } from "hono";
import { AppError } from "../model/errors.ts";
import { JsonMeter } from "../model/json_size.ts";
import { TimeSlices } from "../runtime/time_slices.ts";
import { readBody } from "./request_body.ts";

/**
 * Maximum nesting of objects and arrays in a body: far deeper than any valid request, far less than
 * overflows the stack.
 */
const maxDepth = 100;

/**
 * Most values in a body, judged before it is parsed: 4 MiB can hold 1.4 million empty lists, whose parsing takes
 * half a second of every caller's time. A thousand recipients with a hundred variables each have half as many.
 */
const maxValues = 250_000;

/** Measured at once: a tenth of a millisecond. */
const blockBytes = 64 * 1024;

export type JsonObject = Record<string, unknown>;

/**
 * Reads the request's body as a JSON object.
 *
 * Does not check that the database can store the texts: `validateBody` does, because it knows which
 * fields are kept.
 *
 * @throws {AppError} `unsupported_media_type`, `payload_too_large`, `invalid_json`, or
 * `invalid_request` for more than 100 levels or 250,000 values.
 */
export async function readJsonBody(context: Context, maxBytes?: number): Promise<JsonObject> {
  requireJsonType(context);
  return note(context, await readObject(context, await readBody(context, maxBytes)));
}

/** Like `readJsonBody`. Returns undefined for an empty body, whatever its `Content-Type` says. */
export async function readOptionalJsonBody(
  context: Context,
  maxBytes?: number,
): Promise<JsonObject | undefined> {
  const bytes = await readBody(context, maxBytes);
  if (bytes.byteLength === 0) return undefined;
  requireJsonType(context);
  return note(context, await readObject(context, bytes));
}

/** Keeps what was given, for who reads it after the answer: `createDeprecationNotice`. */
function note(context: Context, body: JsonObject): JsonObject {
  context.set("body", body);
  return body;
}

function requireJsonType(context: Context): void {
  const mediaType = (context.req.header("content-type") ?? "").split(";")[0] ?? "";
  if (mediaType.trim().toLowerCase() !== "application/json") {
    throw new AppError("unsupported_media_type");
  }
}

async function readObject(context: Context, bytes: Uint8Array): Promise<JsonObject> {
  const meter = new JsonMeter();
  const slices = new TimeSlices(context.get("owner") ?? "");
  for (let first = 0; first < bytes.byteLength; first += blockBytes) {
    if (slices.isOver) await slices.next();
    meter.read(bytes.subarray(first, first + blockBytes));
    if (meter.values > maxValues) throw refuseBody(`must not hold more than ${maxValues} values`);
  }
  const value = parseJson(decodeUtf8(bytes));
  if (meter.depth > maxDepth) throw refuseBody(`must not be nested deeper than ${maxDepth} levels`);
  return value;
}

function refuseBody(message: string): AppError {
  return new AppError("invalid_request", { issues: [{ path: "", message }] });
}

/** JSON is UTF-8 (RFC 8259, section 8.1). Decoding another encoding would garble the text. */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new AppError("invalid_json");
  }
}

function parseJson(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError("invalid_json");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("invalid_json");
  }
  return value as JsonObject;
}
