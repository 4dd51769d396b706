/** A stored upload as its caller hears of it: the answer and the database's record follow. */
import * as z from "zod";
import { instantSchema } from "./instant.ts";
import type { AnswerOf } from "./response_fields.ts";

export const uploadFields = {
  mediaId: z.uuid(),
  mimeType: z.string(),
  /** In bytes. */
  size: z.number().int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  expiresAt: instantSchema,
};

export type UploadRecord = AnswerOf<z.ZodObject<typeof uploadFields>>;
