/** Redacts a provider's own texts so that they can be stored and passed on. */
import { cutCharacters } from "../../model/cut_text.ts";
import { cleanText } from "../../model/json_value.ts";

const MAX_CHARACTERS = 500;
const REDACTED = "[redacted]";

/**
 * Returns a function that removes the given secrets and the recipient's number from a text,
 * normalises its white space and truncates it to 500 characters. `recipient` is null if the call
 * has no recipient.
 *
 * It finds the number by its last eight digits. Providers answer with variants of it (another ninth
 * digit, a formatted number, a JID), which share only those.
 */
export function createRedactor(
  secrets: readonly (string | undefined)[],
  recipient: string | null,
): (text: string) => string {
  let pattern: RegExp | undefined;
  return (text) => {
    // Compiled with the first text, because an accepted message has none to redact.
    pattern ??= compilePattern(secrets, recipient);
    return cut(cleanText(text, text.length).replace(pattern, REDACTED).replace(/\s+/g, " ").trim());
  };
}

function compilePattern(
  secrets: readonly (string | undefined)[],
  recipient: string | null,
): RegExp {
  const forms = secrets.flatMap((secret) => secret ? [secret, encodeURIComponent(secret)] : [])
    // Longest first: removing a secret that is part of a longer one would leave the rest of the
    // longer.
    .sort((one, other) => other.length - one.length)
    .map(escapePattern);
  if (recipient !== null) forms.push(numberPattern(recipient));
  // A pattern without alternatives would match the empty text everywhere.
  return new RegExp(forms.length === 0 ? "(?!)" : forms.join("|"), "g");
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
  const isWhole = cutCharacters(text, MAX_CHARACTERS) === text;
  return isWhole ? text : `${cutCharacters(text, MAX_CHARACTERS - 1)}…`;
}
