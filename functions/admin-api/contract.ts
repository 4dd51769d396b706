import * as z from "zod";
import { storableInstantSchema } from "../../shared/model/instant.ts";
import { idSchema, pageSizeSchema } from "../../shared/model/request_fields.ts";

/** What a person calls something. */
export const nameSchema = z.string().trim().min(1).max(200);

/** The query of every collection: `cursor` is the `nextCursor` of the page before. */
export const pageSchema = z.object({
  limit: pageSizeSchema,
  cursor: z.string().min(1).max(500).optional(),
});

/** Where a page ended: what a cursor holds. */
export const pageEndSchema = z.object({
  createdAt: storableInstantSchema,
  id: idSchema,
});

/** The query of a collection that belongs to a workspace. */
export const workspacePageSchema = pageSchema.extend({ workspaceId: idSchema.optional() });
