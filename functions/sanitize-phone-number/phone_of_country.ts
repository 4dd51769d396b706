import { isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js";
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
  const parsed = parsePhoneNumberFromString(phone, { defaultCountry: country, extract: false });
  return parsed === undefined
    ? { sanitized: sanitizePhone(phone), isPossible: false }
    : { sanitized: parsed.number.replace("+", ""), isPossible: parsed.isPossible() };
}
