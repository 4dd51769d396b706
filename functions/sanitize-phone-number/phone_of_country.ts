import {
  isSupportedCountry,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from "libphonenumber-js";
import { findPhoneFault, fitsBrazilianPlan } from "../../shared/model/phone.ts";
import { readWrittenPhone } from "../../shared/model/written_phone.ts";

/** A phone with its country code, as far as its country's numbering plan knows it. */
export interface CompletedPhone {
  readonly sanitized: string;
  /** Whether such a number can exist: its length, in Brazil its area code; not whether somebody has it. */
  readonly isPossible: boolean;
}

/**
 * Reads a phone as it is dialled in a country, `BR` for example, and adds the country code. A number with
 * a country code of its own (`+1 ...`, `001 ...`, a link or an account of WhatsApp) keeps it. What is no
 * phone at all stays as its digits.
 *
 * @returns null for an unknown country.
 */
export function completePhoneIn(country: string, phone: string): CompletedPhone | null {
  if (!isSupportedCountry(country)) return null;
  const { digits, prefix } = readWrittenPhone(phone);
  const international = prefix === null ? undefined : parsePhoneNumberFromString(`+${digits}`);
  const isKnown = international !== undefined && (prefix === "+" || isPossible(international));
  // Some countries dial a carrier after 00, which looks like a country code: Brazil's 00 15 1 415 ...
  const parsed = isKnown
    ? international
    : parsePhoneNumberFromString((prefix ?? "") + digits, { defaultCountry: country });
  return parsed === undefined ? { sanitized: digits, isPossible: false } : describe(parsed);
}

function describe(phone: PhoneNumber): CompletedPhone {
  return { sanitized: phone.number.replace("+", ""), isPossible: isPossible(phone) };
}

/**
 * By length, and by the prefixes that requests refuse. The library's lengths are those of a country's shortest and
 * longest numbers, with local ones among them: a Brazilian mobile without its area code would pass. WhatsApp
 * still writes Mexican mobiles with the 1 that the numbering plan has dropped.
 */
function isPossible(phone: PhoneNumber): boolean {
  const digits = phone.number.replace("+", "");
  return (phone.isPossible() || /^521[0-9]{10}$/.test(digits)) && fitsBrazilianPlan(digits) &&
    findPhoneFault(digits) !== "impossible";
}
