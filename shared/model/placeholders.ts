/** Placeholders in the text of a template: `{{1}}`, `{{nome}}`. */
import { cutText } from "./cut_text.ts";

/** No variable has a longer name: see `recordSchema`. */
const placeholderPattern = /\{\{\s*([\p{L}\p{N}_]{1,200})\s*\}\}/gu;

/**
 * Longest text that filling makes, in UTF-16 units: no channel takes a longer one. A value of 4,000 characters
 * in 12,000 places would be 48 million.
 */
export const maxFilledLength = 65_536;

/** Triple braces put their third around the value. */
const tripleBraces = /\{{3}|\}{3}/;
const strayBraces = /\{\{[^{}]{0,200}\}\}|\{\{|\}\}/;

/**
 * The first double braces of a text that nothing can fill, as they are written: `{{a-b}}`, `{{a b}}`, `{{a.b}}`,
 * `{{}}`, `{{a}`. Null where there are none.
 */
export function findStrayBraces(text: string): string | null {
  if (!text.includes("{{") && !text.includes("}}")) return null;
  // A brace that touches a placeholder stays beside it.
  const rest = text.replace(
    /(\{?)\{\{\s*[\p{L}\p{N}_]{1,200}\s*\}\}(\}?)/gu,
    (written, before, after) => before === "" && after === "" ? " " : written,
  );
  return (tripleBraces.exec(rest) ?? strayBraces.exec(rest))?.[0] ?? null;
}

/** Says what to write in the place of braces that `findStrayBraces` has found. */
export function describeStrayBraces(braces: string): string {
  const shown = cutText(braces, 60);
  return `has ${shown}, which is no variable: write {{1}}, or {{name}} of letters, digits and _`;
}

/** The names between double braces, each once, in the order in which they appear. */
export function listPlaceholders(text: string): string[] {
  return [...new Set([...text.matchAll(placeholderPattern)].map(([, name = ""]) => name))];
}

/** Whether a placeholder is numbered, as in a POSITIONAL template, and not named. */
export function isNumbered(placeholder: string): boolean {
  return /^[0-9]+$/.test(placeholder);
}

/** A text and its placeholders, taken apart once for as many fillings as there are. */
export class FillableText {
  /** Each once, in the order in which they appear. */
  readonly names: ReadonlySet<string>;
  readonly #text: string;
  /** A placeholder as it is written, and what stands after it. */
  readonly #parts: readonly {
    readonly name: string;
    readonly written: string;
    readonly after: string;
  }[];
  readonly #beginning: string;

  constructor(text: string) {
    const found = [...text.matchAll(placeholderPattern)];
    this.#text = text;
    this.#beginning = text.slice(0, found[0]?.index);
    this.#parts = found.map(({ index, 0: written, 1: name = "" }, place) => ({
      name,
      written,
      after: text.slice(index + written.length, found[place + 1]?.index),
    }));
    this.names = new Set(this.#parts.map(({ name }) => name));
  }

  /**
   * The text with its placeholders replaced in one pass, so that braces inside a value stay text. A placeholder
   * without a value stays as it is.
   *
   * @returns null where it would have more than `maxLength` UTF-16 units; then it is not filled at all.
   */
  fill(values: ReadonlyMap<string, string>, maxLength = maxFilledLength): string | null {
    let length = this.#text.length;
    for (const { name, written } of this.#parts) {
      length += (values.get(name) ?? written).length - written.length;
    }
    if (length > maxLength) return null;
    let filled = this.#beginning;
    for (const { name, written, after } of this.#parts) {
      filled += (values.get(name) ?? written) + after;
    }
    return filled;
  }
}

/** The text filled once: see `FillableText`. */
export function fillText(
  text: string,
  values: ReadonlyMap<string, string>,
  maxLength = maxFilledLength,
): string | null {
  return new FillableText(text).fill(values, maxLength);
}
