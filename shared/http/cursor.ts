import type * as z from "zod";
import { decodeBase64Url, encodeBase64Url } from "../crypto/encoding.ts";
import { AppError } from "../model/errors.ts";

/** Encodes the end of a page as the cursor for the next page. It is opaque to the caller. */
export function writeCursor(end: object): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify(end)));
}

/**
 * Decodes a cursor to the end of a page.
 *
 * @throws {AppError} `invalid_request` for an invalid cursor.
 */
export function readCursor<Schema extends z.ZodType>(
  schema: Schema,
  cursor: string,
): z.infer<Schema> {
  const bytes = decodeBase64Url(cursor);
  const parsed = schema.safeParse(bytes === null ? null : parseJson(bytes));
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_request", {
    issues: [{ path: "cursor", message: "must be the nextCursor of a previous page" }],
  });
}

function parseJson(bytes: BufferSource): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
