/**
 * Phone numbers as people, spreadsheets, links and chat systems write them. Requests take digits alone
 * (`phoneSchema`): this is for what is to become such digits.
 */
import { withoutInvisible } from "./visible_text.ts";

/** What a text says of a phone. Without digits it names none. */
export interface WrittenPhone {
  /** ASCII digits, without the prefix. */
  readonly digits: string;
  /**
   * What says that they begin with a country code: `+`, which all addresses of WhatsApp imply, or `00`, which
   * some countries dial before a carrier. Null where nothing does.
   */
  readonly prefix: "+" | "00" | null;
}

const nothing: WrittenPhone = { digits: "", prefix: null };

/** Links that open a chat, with or without scheme, and other addresses of WhatsApp, which name nobody. */
const chatLink =
  /^(?:[a-z]+:\/\/)?(?:[a-z-]+\.)*(?:wa\.me|whatsapp\.(?:com|net))(?:\/|$)|^whatsapp:\/\//i;
/** `wa.me/<phone>`, its catalogue `wa.me/c/<phone>`, and a product of it `wa.me/p/<product>/<phone>`. */
const chatPath = /\bwa\.me\/(?:c\/|p\/\d+\/)?(\+?[\d\s().-]+)(?=$|[/?#])/i;
const phoneParameter = /[?&]phone=([^&#]*)/i;

/** An account at a server: its number, then the agent and the device that some clients add. */
const account = /^(\+?\d+)(?:[_.:-]\d+)*@([a-z0-9.-]+)$/i;
/** Servers, and Z-API's suffixes, of hidden numbers, groups, channels and lists, which are no phones. */
const otherServer = /@(?:(?:hosted\.)?lid|g\.us|broadcast|newsletter|bot|call|msgr|interop)$/i;
const otherSuffix = /\d-(?:group|broadcast|newsletter)$/i;

/** The scheme of an address (RFC 3966 and its like, Twilio's `whatsapp:`), or the name of a vCard's line. */
const scheme =
  /^(?:(?:[a-z0-9]+\.)?tel\b[^:]*|sms|smsto|mms|mmsto|callto|sips?|whatsapp|skype|facetime|viber):(?:\/\/)?/i;
const phoneContext = /;phone-context=(\+[\d().-]+)/i;
const extension = /(?<![a-z])(?:ext(?:n|ension)?|ramal|x|#)[\s:.]{0,3}\d{1,7}#?$/i;

/** A whole number that a program wrote as one with a fraction: `5511988887777.0`. */
const wholeWithFraction = /^(\+?\d{8,15})[.,]0+$/;
const scientific = /^(\d)[.,](\d+)e\+?(\d{1,2})$/i;
/** Spreadsheets show six digits of a long number: further ones are lost, and not zeros. */
const shownDecimals = 5;

/**
 * Reads a phone in any notation: digits of any script, with marks that nobody sees, `+` or `00` before the
 * country, a spreadsheet's quotes and fractions, `tel:`, `whatsapp:`, `wa.me/`, an account such as
 * `5511988887777:3@s.whatsapp.net`. An extension does not count. A hidden number (`@lid`), a group, and a
 * number whose last digits a spreadsheet has rounded away name no phone.
 */
export function readWrittenPhone(given: string): WrittenPhone {
  const text = toAsciiDigits(withoutInvisible(given)).trim()
    .replace(/^=?["']/, "").replace(/["']$/, "");
  if (otherServer.test(text) || otherSuffix.test(text)) return nothing;
  if (chatLink.test(text)) return readNumber(phoneOfLink(text), true);
  const address = scheme.test(text) ? phoneOfAddress(text) : text;
  const user = account.exec(address)?.[1];
  return user === undefined ? readNumber(readFigure(address), false) : readNumber(user, true);
}

/** The phone in a link to a chat; none in a link to anything else. */
function phoneOfLink(link: string): string {
  const parameter = phoneParameter.exec(link)?.[1];
  if (parameter === undefined) return chatPath.exec(decode(link))?.[1] ?? "";
  return decode(parameter);
}

/** The phone in an address with a scheme, without its parameters. */
function phoneOfAddress(text: string): string {
  const context = phoneContext.exec(text)?.[1] ?? "";
  const [number = ""] = text.replace(scheme, "").split(/[;?]/, 1);
  return context + number;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a spreadsheet has made of a number, undone. */
function readFigure(text: string): string {
  const [, first = "", decimals = "", exponent] = scientific.exec(text) ?? [];
  if (exponent === undefined) return text.replace(wholeWithFraction, "$1").replace(extension, "");
  const isWhole = decimals.length > shownDecimals && decimals.length <= Number(exponent);
  return isWhole ? first + decimals.padEnd(Number(exponent), "0") : "";
}

function readNumber(text: string, isAddress: boolean): WrittenPhone {
  const [sign = ""] = /[+0-9]/.exec(text) ?? [];
  const written = text.replace(/[^0-9]/g, "");
  const digits = written.replace(/^00(?=[1-9])/, "");
  if (digits !== "" && (isAddress || sign === "+")) return { digits, prefix: "+" };
  return { digits, prefix: digits === written ? null : "00" };
}

/** Digits of every script as ASCII. Unicode keeps the ten digits of a script together, from its zero on. */
function toAsciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit.normalize("NFKC")))).replace(
    /＋/g,
    "+",
  );
}

function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value;
}
