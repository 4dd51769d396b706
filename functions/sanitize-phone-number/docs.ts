import type { Operation } from "../../shared/openapi/operation.ts";
import { sanitizePhoneNumberResponseSchema, sanitizePhoneNumberSchema } from "./contract.ts";

/** The operations of sanitize-phone-number (specification 4.6). */
export const operations: readonly Operation[] = [{
  method: "POST",
  path: "/",
  operationId: "sanitizePhoneNumber",
  tag: "Phone numbers",
  summary: "Remove the formatting of a phone number",
  description:
    "Removes everything except digits. Adds nothing and stores nothing. Public: requires no token.",
  access: "public",
  body: sanitizePhoneNumberSchema,
  success: {
    description: "The number as received, and its digits.",
    schema: sanitizePhoneNumberResponseSchema,
  },
  errors: [],
  fields: { phone: "A phone number in any format." },
  examples: [{
    name: "brazilian_mobile",
    summary: "A Brazilian mobile number",
    request: { phone: "+55 (11) 98888-7777" },
    response: { success: true, original: "+55 (11) 98888-7777", sanitized: "5511988887777" },
  }],
}];
