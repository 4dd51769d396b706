import type { Context } from "hono";
import { AppError, type Issue } from "../errors.ts";

/** Largest request body in bytes, but for provider webhooks (decisions, section 1). */
export const defaultMaxBodyBytes = 256 * 1024;

/** Levels of objects and arrays in a body: far above any request's, far below what breaks a stack. */
const maxDepth = 100;

export type JsonObject = Record<string, unknown>;

/**
 * The request's body as a JSON object.
 *
 * @throws {AppError} `unsupported_media_type`, `invalid_json`, or `invalid_request` for text that
 * cannot be stored (NUL, or half of a surrogate pair) and for more than 100 levels.
 */
export async function readJsonBody(context: Context): Promise<JsonObject> {
  const mediaType = (context.req.header("content-type") ?? "").split(";")[0] ?? "";
  if (mediaType.trim().toLowerCase() !== "application/json") {
    throw new AppError("unsupported_media_type");
  }
  const text = decodeUtf8(await context.req.arrayBuffer());
  const value = parseJson(text);
  if (isDeeperThan(value, maxDepth)) {
    const message = `must not be nested deeper than ${maxDepth} levels`;
    throw new AppError("invalid_request", { issues: [{ path: "", message }] });
  }
  // Only an escape can smuggle such a character in: decoded UTF-8 holds neither.
  if (/\\u(?:0000|[dD][89a-fA-F])/.test(text)) {
    const issues = findUnstorableText(value);
    if (issues.length > 0) throw new AppError("invalid_request", { issues });
  }
  return value;
}

/** JSON is UTF-8 (RFC 8259, section 8.1): in another encoding a customer would read other words. */
function decodeUtf8(bytes: ArrayBuffer): string {
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

/** Walks without recursion: the depth of the input is the caller's to choose. */
function findUnstorableText(root: unknown): Issue[] {
  const issues: Issue[] = [];
  const pending: { path: string; value: unknown }[] = [{ path: "", value: root }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, value } = next;
    if (typeof value === "string" && !isStorable(value)) {
      issues.push({ path, message: "must not hold NUL or half of a surrogate pair" });
    } else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (!isStorable(key)) {
          issues.push({ path, message: "must not have a key with NUL or half a surrogate pair" });
        }
        pending.push({ path: path === "" ? key : `${path}.${key}`, value: member });
      }
    }
  }
  return issues.slice(0, 100);
}

function isStorable(text: string): boolean {
  return !text.includes("\u0000") && text.isWellFormed();
}
