import {
  isSupportedCountry,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from "libphonenumber-js";
import { sanitizePhone } from "../../shared/model/phone.ts";

/** A phone with its country code, as far as its country's numbering plan knows it. */
export interface CompletedPhone {
  readonly sanitized: string;
  /** Whether such a number can exist: its length, not whether somebody has it. */
  readonly isPossible: boolean;
}

/**
 * Reads a phone as it is dialled in a country, `BR` for example, and adds the country code. A number with
 * a country code of its own (`+1 ...`) keeps it. What is no phone at all stays as its digits.
 *
 * @returns null for an unknown country.
 */
export function completePhoneIn(country: string, phone: string): CompletedPhone | null {
  if (!isSupportedCountry(country)) return null;
  // As address books and links write numbers (RFC 3966).
  const written = phone.replace(/^\s*tel:/i, "");
  const parsed = parsePhoneNumberFromString(written, { defaultCountry: country, extract: false });
  return parsed === undefined
    ? { sanitized: sanitizePhone(phone), isPossible: false }
    : { sanitized: parsed.number.replace("+", ""), isPossible: isPossible(parsed) };
}

/** WhatsApp still writes Mexican mobiles with the 1 that the numbering plan has dropped. */
function isPossible(phone: PhoneNumber): boolean {
  return phone.isPossible() || /^\+521[0-9]{10}$/.test(phone.number);
}
