import type { Context } from "hono";
import { AppError } from "../model/errors.ts";
import { readBody } from "./request_body.ts";

/** Levels of objects and arrays in a body: far above any request's, far below what breaks a stack. */
const maxDepth = 100;

export type JsonObject = Record<string, unknown>;

/**
 * The request's body as a JSON object.
 *
 * Whether its text can be stored is for `validateBody` to say, which knows what of it is kept.
 *
 * @throws {AppError} `unsupported_media_type`, `payload_too_large`, `invalid_json`, or
 * `invalid_request` for more than 100 levels.
 */
export async function readJsonBody(context: Context): Promise<JsonObject> {
  const mediaType = (context.req.header("content-type") ?? "").split(";")[0] ?? "";
  if (mediaType.trim().toLowerCase() !== "application/json") {
    throw new AppError("unsupported_media_type");
  }
  const value = parseJson(decodeUtf8(await readBody(context)));
  if (isDeeperThan(value, maxDepth)) {
    const message = `must not be nested deeper than ${maxDepth} levels`;
    throw new AppError("invalid_request", { issues: [{ path: "", message }] });
  }
  return value;
}

/** JSON is UTF-8 (RFC 8259, section 8.1): in another encoding a customer would read other words. */
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

/** Level by level, without recursion: the depth of the input is the caller's to choose. */
function isDeeperThan(root: JsonObject, levels: number): boolean {
  let level: object[] = [root];
  for (let depth = 1; depth <= levels && level.length > 0; depth++) {
    level = level.flatMap((holder) => Object.values(holder))
      .filter((member: unknown) => typeof member === "object" && member !== null);
  }
  return level.length > 0;
}
