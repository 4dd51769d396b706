import * as z from "zod";
import { storableInstantSchema } from "../../shared/model/instant.ts";
import { idSchema, pageSizeSchema } from "../../shared/model/request_fields.ts";

/** A display name. */
export const nameSchema = z.string().trim().min(1).max(200);

/** The query of every collection. `cursor` is the `nextCursor` of the previous page. */
export const pageSchema = z.object({
  limit: pageSizeSchema,
  cursor: z.string().min(1).max(500).optional(),
});

/** The end of a page, as a cursor encodes it. */
export const pageEndSchema = z.object({
  createdAt: storableInstantSchema,
  id: idSchema,
});

/** The query of a collection that belongs to a workspace. */
export const workspacePageSchema = pageSchema.extend({ workspaceId: idSchema.optional() });
