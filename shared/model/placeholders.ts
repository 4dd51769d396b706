/** Placeholders in the text of a template: `{{1}}`, `{{nome}}`. */

const placeholderPattern = /\{\{\s*([\p{L}\p{N}_]+)\s*\}\}/gu;

/** The names between double braces, each once, in the order in which they appear. */
export function listPlaceholders(text: string): string[] {
  return [...new Set([...text.matchAll(placeholderPattern)].map(([, name = ""]) => name))];
}

/** Whether a placeholder is numbered, as in a POSITIONAL template, and not named. */
export function isNumbered(placeholder: string): boolean {
  return /^[0-9]+$/.test(placeholder);
}

/**
 * The text with its placeholders replaced in one pass, so that braces inside a value stay text. A
 * placeholder without a value stays as it is.
 */
export function fillText(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(
    placeholderPattern,
    (placeholder, name: string) => values.get(name) ?? placeholder,
  );
}
