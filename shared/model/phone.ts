/**
 * Phone numbers as the specification writes them (section 1, rule 3): digits only, with country
 * code. The database's `phone_identity_key` follows the same rule as `identityKeyOf`.
 */
import { withoutInvisible } from "./visible_text.ts";
import { readWrittenPhone } from "./written_phone.ts";

/** A phone: 8 to 15 ASCII digits and nothing else. Formatted numbers do not match. */
export const phonePattern = /^[0-9]{8,15}$/;

/** The same, without prefixes that no number has: 0, or country code 1 and an area code in 0 or 1. */
export const possiblePhonePattern = /^(?!0|1[01])[0-9]{8,15}$/;

/** A phone without the marks that nobody sees, as calls are read. A text too long for a phone stays as it is. */
export function barePhone(text: string): string {
  return text.length > maxFormattedPhoneLength ? text : withoutInvisible(text);
}

/**
 * Why a caller may not use a text as a phone: its form, or digits that no phone has. The second finds
 * numbers without country code: `11988887777` is from São Paulo and would be read as North American.
 * Null for a valid phone. Events of providers are not checked this way.
 */
export function findPhoneFault(text: string): "malformed" | "impossible" | null {
  if (!phonePattern.test(text)) return "malformed";
  return possiblePhonePattern.test(text) ? null : "impossible";
}

/**
 * The digits to look for where a search text is a phone, or the end of one, as people write it: at least eight
 * digits with `+`, brackets, blanks, dots or hyphens between them, and perhaps the zero that is dialled before an
 * area code. Null for every other text, which is looked for as it is.
 */
export function readSearchedPhone(text: string): string | null {
  if (!/^[+0-9\s().-]*$/.test(withoutInvisible(text))) return null;
  const digits = sanitizePhone(text).replace(/^0+/, "");
  return digits.length < 8 ? null : digits;
}

/** Longest text that is accepted as a formatted phone, in UTF-16 units. */
export const maxFormattedPhoneLength = 200;

/**
 * A Brazilian number: 55, an area code without a zero, and a mobile (9 and eight digits, or 6 to 9 and seven, as
 * before the ninth digit) or a landline (2 to 5 and seven); or a number without an area code: 0300, 0500, 0800 and
 * 0900, without their zero, and 300x and 400x (Anatel, Resolução 749/2022).
 */
const brazilianNumber =
  /^55(?:[1-9]{2}(?:9[0-9]{8}|[2-9][0-9]{7})|(?:[3589]00)[0-9]{6,7}|[34]00[0-9]{5})$/;

/** Whether a phone of another country, or a Brazilian one that can exist by its area code and its length. */
export function fitsBrazilianPlan(phone: string): boolean {
  return !phone.startsWith("55") || brazilianNumber.test(phone);
}

/** 55, a two-digit area code, and a mobile subscriber (6 to 9) without its ninth digit. */
const brazilianMobileWithoutNinthDigit = /^55[0-9]{2}(?=[6-9][0-9]{7}$)/;
/** Mexico's former mobile prefix 1 between country code and the ten-digit number. */
const mexicanWithMobilePrefix = /^521([0-9]{10})$/;
/** Argentina's mobile prefix 9 between country code and the ten-digit number. */
const argentinianWithMobilePrefix = /^549([0-9]{10})$/;

/**
 * The key under which every spelling of one number is the same contact: a Brazilian mobile with
 * and without its ninth digit, `521` and `52`, `549` and `54`. Landlines, service numbers and all
 * else stay as they are. Idempotent.
 *
 * For identity alone: a message goes to the address last proven to work or to the phone as given,
 * never to this key, since either spelling may be the only one that WhatsApp knows.
 */
export function identityKeyOf(phone: string): string {
  return phone
    .replace(brazilianMobileWithoutNinthDigit, "$&9")
    .replace(mexicanWithMobilePrefix, "52$1")
    .replace(argentinianWithMobilePrefix, "54$1");
}

/**
 * The digits of a phone in any notation (specification 4.6), without what stands before the country code. ''
 * for what names no phone: see `readWrittenPhone`.
 */
export function sanitizePhone(text: string): string {
  return readWrittenPhone(text).digits;
}
