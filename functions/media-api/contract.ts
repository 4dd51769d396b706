import * as z from "zod";
import { uploadFields } from "../../shared/model/upload_record.ts";
import { successField } from "../../shared/model/response_fields.ts";
import { instanceIdSchema } from "../../shared/model/request_fields.ts";
import { lowerScheme } from "../../shared/model/media_url.ts";

/** POST media: a file by its URL. A form with the field `file` is the other way. */
export const uploadMediaSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  url: z.string().min(1).max(2_048).overwrite(lowerScheme),
});

/** GET media/{mediaId}. */
export const readMediaSchema = z.object({ instanceId: instanceIdSchema.optional() });

export const mediaIdSchema = z.uuid();

/** GET links/{mediaId}: what a signed link of ours holds. */
export const linkQuerySchema = z.object({
  expires: z.string().max(20).optional(),
  nonce: z.string().max(100).optional(),
  signature: z.string().max(200).optional(),
});

export const uploadResponseSchema = z.object({ ...successField, ...uploadFields });
