/** The pages of every collection. */
import * as z from "zod";
import type { Issue } from "./errors.ts";
import { storableInstantSchema } from "./instant.ts";
import { idSchema, pageSizeSchema } from "./request_fields.ts";

/** The query of every collection. `cursor` is the `nextCursor` of the previous page. */
export const pageSchema = z.object({
  limit: pageSizeSchema,
  cursor: z.string().min(1).max(500).optional(),
});

/** Requires that `until` is not before `since`, as a cross-check of a schema with both. */
export function checkPeriod({ since, until }: Readonly<Record<string, unknown>>): Issue[] {
  if (typeof since !== "string" || typeof until !== "string") return [];
  return Date.parse(until) < Date.parse(since)
    ? [{ path: "until", message: "must not be before since" }]
    : [];
}

/**
 * The order of a list: `desc` begins with the newest. `asc`, which is the default, is left out, so that cursors
 * are the same with and without it.
 */
export const orderSchema = z.enum(["asc", "desc"], { error: "must be asc or desc" })
  .transform((order) => order === "asc" ? undefined : order);

/** The end of a page, as a cursor encodes it. */
export const pageEndSchema = z.object({
  createdAt: storableInstantSchema,
  id: idSchema,
});

/** The end of a page in the order of changes, which `updatedSince` asks for. */
export const changesEndSchema = z.object({ updatedAt: storableInstantSchema, id: idSchema });
