import type { Operation } from "../../shared/openapi/operation.ts";
import { sanitizePhoneNumberResponseSchema, sanitizePhoneNumberSchema } from "./contract.ts";

/** The operations of sanitize-phone-number (specification 4.6). */
export const operations: readonly Operation[] = [{
  method: "POST",
  path: "/",
  operationId: "sanitizePhoneNumber",
  ignoresParameters: true,
  tag: "Phone numbers",
  summary: "Remove the formatting of a phone number",
  description: "Removes everything except digits. Stores nothing. Public: requires no token.\n\n" +
    "Reads any notation: `00` or `+` before the country code, `tel:` and `whatsapp:`, links such as `wa.me/5511988887777`, accounts such as `5511988887777@s.whatsapp.net`, digits of other scripts, marks that nobody sees, a spreadsheet's `5511988887777.0`. An extension does not count. `sanitized` is empty for what names no phone: a hidden number (`@lid`), a group, `5.51199E+12`.\n\n" +
    "With `country`, a number without country code is read as it is dialled there: `sanitized` then has the country code, and `isPossible` says whether such a number can exist: by its length, and in Brazil by its area code. Without `country`, nothing is added: `(11) 97777-1234` is `11977771234` then, which every other call refuses. So name the country where people write numbers as they dial them.",
  access: "public",
  body: sanitizePhoneNumberSchema,
  success: {
    description: "The number as received, and its digits.",
    schema: sanitizePhoneNumberResponseSchema,
  },
  errors: [],
  fields: {
    phone: "A phone number in any format.",
    country: "Country in which the number is dialled: two letters of ISO 3166, such as `BR`.",
    isPossible: "Whether such a number can exist. Only with `country`.",
  },
  examples: [{
    name: "brazilian_mobile",
    summary: "A Brazilian mobile number",
    request: { phone: "+55 (11) 98888-7777" },
    response: { success: true, original: "+55 (11) 98888-7777", sanitized: "5511988887777" },
  }, {
    name: "link",
    summary: "A link to a chat",
    request: { phone: "https://wa.me/5511988887777?text=Oi" },
    response: {
      success: true,
      original: "https://wa.me/5511988887777?text=Oi",
      sanitized: "5511988887777",
    },
  }, {
    name: "of_a_country",
    summary: "A number as it is dialled in Brazil",
    request: { phone: "(11) 98888-7777", country: "BR" },
    response: {
      success: true,
      original: "(11) 98888-7777",
      sanitized: "5511988887777",
      isPossible: true,
    },
  }],
}];
