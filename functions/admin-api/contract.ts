import * as z from "zod";
import { pageSchema } from "../../shared/model/page.ts";
import { idSchema, inOneLine } from "../../shared/model/request_fields.ts";

/** A display name. */
export const nameSchema = inOneLine(z.string().trim().min(1).max(200));

/** The query of a collection that belongs to a workspace. */
export const workspacePageSchema = pageSchema.extend({ workspaceId: idSchema.optional() });
