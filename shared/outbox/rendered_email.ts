import { cutCharacters } from "../model/cut_text.ts";
/** What the e-mails of the outbox share. */

export interface RenderedEmail {
  /** One line, safe as a mail header. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Longest name shown, in characters. Keeps the subject readable and below a header line's limit. */
const maxNameLength = 80;

/**
 * Characters that end a line or reverse the reading direction. In a name they could add a header to the
 * e-mail or disguise the text.
 */
const unsafeInOneLine = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** The value as one line of at most 80 characters. */
export function toSingleLine(value: string): string {
  const line = value.replace(unsafeInOneLine, " ").replace(/ {2,}/g, " ").trim();
  const isWhole = cutCharacters(line, maxNameLength) === line;
  return isWhole ? line : `${cutCharacters(line, maxNameLength - 1)}…`;
}
