import * as z from "zod";
import { formSchema } from "../../shared/model/bounded_fields.ts";
import { maxFormattedPhoneLength } from "../../shared/model/phone.ts";
import { successField } from "../../shared/model/response_fields.ts";

/** POST /functions/v1/sanitize-phone-number (specification 4.6). */
export const sanitizePhoneNumberSchema = z.object({
  phone: z.string().min(1).max(maxFormattedPhoneLength),
  /** ISO 3166-1 alpha-2; in upper or lower case. */
  country: formSchema(/^[A-Za-z]{2}$/, 2, "has an invalid format").optional(),
});

export const sanitizePhoneNumberResponseSchema = z.object({
  ...successField,
  original: z.string(),
  sanitized: z.string(),
  isPossible: z.boolean().optional(),
});
