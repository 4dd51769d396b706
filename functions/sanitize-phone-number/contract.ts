import * as z from "zod";
import { maxFormattedPhoneLength } from "../../shared/model/phone.ts";

/** POST /functions/v1/sanitize-phone-number (specification 4.6). */
export const sanitizePhoneNumberSchema = z.object({
  phone: z.string().min(1).max(maxFormattedPhoneLength),
});
