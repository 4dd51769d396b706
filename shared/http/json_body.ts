import type { Context } from "hono";
import { AppError } from "../model/errors.ts";
import { readBody } from "./request_body.ts";

/**
 * Maximum nesting of objects and arrays in a body: far deeper than any valid request, far less than
 * overflows the stack.
 */
const maxDepth = 100;

export type JsonObject = Record<string, unknown>;

/**
 * Reads the request's body as a JSON object.
 *
 * Does not check that the database can store the texts: `validateBody` does, because it knows which
 * fields are kept.
 *
 * @throws {AppError} `unsupported_media_type`, `payload_too_large`, `invalid_json`, or
 * `invalid_request` for more than 100 levels.
 */
export async function readJsonBody(context: Context, maxBytes?: number): Promise<JsonObject> {
  requireJsonType(context);
  return readObject(await readBody(context, maxBytes));
}

/** Like `readJsonBody`. Returns undefined for an empty body, whatever its `Content-Type` says. */
export async function readOptionalJsonBody(
  context: Context,
  maxBytes?: number,
): Promise<JsonObject | undefined> {
  const bytes = await readBody(context, maxBytes);
  if (bytes.byteLength === 0) return undefined;
  requireJsonType(context);
  return readObject(bytes);
}

function requireJsonType(context: Context): void {
  const mediaType = (context.req.header("content-type") ?? "").split(";")[0] ?? "";
  if (mediaType.trim().toLowerCase() !== "application/json") {
    throw new AppError("unsupported_media_type");
  }
}

function readObject(bytes: Uint8Array): JsonObject {
  const value = parseJson(decodeUtf8(bytes));
  if (isDeeperThan(value, maxDepth)) {
    const message = `must not be nested deeper than ${maxDepth} levels`;
    throw new AppError("invalid_request", { issues: [{ path: "", message }] });
  }
  return value;
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

/**
 * Iterates level by level instead of recursing, because the caller controls the depth of the input.
 */
function isDeeperThan(root: JsonObject, levels: number): boolean {
  let level: object[] = [root];
  for (let depth = 1; depth <= levels && level.length > 0; depth++) {
    level = level.flatMap((holder) => Object.values(holder))
      .filter((member: unknown) => typeof member === "object" && member !== null);
  }
  return level.length > 0;
}
