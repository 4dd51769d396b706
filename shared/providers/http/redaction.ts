/** Makes a provider's own words fit to be passed on and kept. */
import { cleanText } from "../../model/json_value.ts";

const MAX_CHARACTERS = 500;
const REDACTED = "[redacted]";

/**
 * A function that takes the given secrets and the recipient's number (null where there is none) out
 * of a text, tidies its white space and cuts it to 500 characters.
 *
 * The number is known by its last eight digits: providers answer with variants of it (another
 * ninth digit, a formatted number, a JID), which share only those.
 */
export function createRedactor(
  secrets: readonly (string | undefined)[],
  recipient: string | null,
): (text: string) => string {
  const forms = secrets.flatMap((secret) => secret ? [secret, encodeURIComponent(secret)] : [])
    // Longest first: a secret that is a part of another one must not leave the rest of it.
    .sort((one, other) => other.length - one.length)
    .map(escapePattern);
  if (recipient !== null) forms.push(numberPattern(recipient));
  // Without alternatives the pattern would fit the empty text, everywhere.
  const pattern = new RegExp(forms.length === 0 ? "(?!)" : forms.join("|"), "g");
  return (text) =>
    cut(cleanText(text, text.length).replace(pattern, REDACTED).replace(/\s+/g, " ").trim());
}

function numberPattern(recipient: string): string {
  const separators = "[\\s().-]{0,2}";
  const lastDigits = recipient.slice(-8).split("").map(escapePattern).join(separators);
  return `\\+?(?:\\d${separators}){0,9}${lastDigits}`;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function cut(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_CHARACTERS) return text;
  return characters.slice(0, MAX_CHARACTERS - 1).join("") + "…";
}
