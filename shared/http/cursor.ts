import type * as z from "zod";
import { decodeBase64Url, encodeBase64Url, hashText } from "../crypto/encoding.ts";
import { AppError } from "../model/errors.ts";

/**
 * What the cursors of one list have in common: its name, and every field of its query but the page's own.
 * A cursor that another list or other filters gave would skip and repeat items without a word.
 */
export async function markList(name: string, query: object): Promise<string> {
  const filters = Object.entries(query)
    .filter(([field, value]) => !["limit", "cursor"].includes(field) && (value ?? null) !== null)
    .toSorted(([a], [b]) => a < b ? -1 : 1);
  return (await hashText(JSON.stringify([name, filters]))).slice(0, 16);
}

/** Encodes the end of a page of the list as the cursor for the next page. It is opaque to the caller. */
export function writeCursor(end: object, list: string): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify({ ...end, list })));
}

/**
 * Decodes a cursor of the list to the end of a page.
 *
 * @throws {AppError} `invalid_request` for an invalid cursor, and for one of another list.
 */
export function readCursor<Schema extends z.ZodType>(
  schema: Schema,
  cursor: string,
  list: string,
): z.infer<Schema> {
  const bytes = decodeBase64Url(cursor);
  const value = bytes === null ? null : parseJson(bytes);
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw refuseCursor("must be the nextCursor of a previous page");
  if ((value as { readonly list?: unknown }).list !== list) {
    throw refuseCursor("must be the nextCursor of a previous page of this list with these filters");
  }
  return parsed.data;
}

function refuseCursor(message: string): AppError {
  return new AppError("invalid_request", { issues: [{ path: "cursor", message }] });
}

function parseJson(bytes: BufferSource): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
