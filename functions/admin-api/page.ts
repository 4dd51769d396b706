import type * as z from "zod";
import { decodeBase64Url, encodeBase64Url } from "../../shared/encoding.ts";
import { AppError } from "../../shared/errors.ts";
import { pageEndSchema } from "./contract.ts";

/** Where a page ended, as the database's `page_of_records` says it. */
export type PageEnd = z.infer<typeof pageEndSchema>;

/** The cursor to ask for what comes after `end`: opaque to the caller. */
export function writeCursor(end: PageEnd): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify(end)));
}

/**
 * The place that a cursor names.
 *
 * @throws {AppError} `invalid_request` for a text that no page gave out.
 */
export function readCursor(cursor: string): PageEnd {
  const bytes = decodeBase64Url(cursor);
  const parsed = pageEndSchema.safeParse(bytes === null ? null : parseJson(bytes));
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_request", {
    issues: [{ path: "cursor", message: "must be a nextCursor of an earlier page" }],
  });
}

function parseJson(bytes: BufferSource): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
