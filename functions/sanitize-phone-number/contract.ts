import * as z from "zod";
import { maxFormattedPhoneLength } from "../../shared/model/phone.ts";
import { type AnswerOf, successField } from "../../shared/model/response_fields.ts";

/** POST /functions/v1/sanitize-phone-number (specification 4.6). */
export const sanitizePhoneNumberSchema = z.object({
  phone: z.string().min(1).max(maxFormattedPhoneLength),
});

export const sanitizePhoneNumberResponseSchema = z.object({
  ...successField,
  original: z.string(),
  sanitized: z.string(),
});

export type SanitizePhoneNumberResponse = AnswerOf<typeof sanitizePhoneNumberResponseSchema>;
