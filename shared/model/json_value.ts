/**
 * Reads values out of a provider's JSON, of which nothing may be taken for granted. No reader
 * throws, whatever it is given.
 */

type Path = readonly (string | number)[];

/** Longest id, in UTF-16 units. */
export const ID_MAX = 512;

/** What a text says as JSON; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value at a path of keys and positions; undefined where the path leads nowhere. */
export function readValue(json: unknown, ...path: Path): unknown {
  let value = json;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** The text at a path, trimmed; undefined where there is none or it is blank. */
export function readText(json: unknown, ...path: Path): string | undefined {
  const value = readValue(json, ...path);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

/**
 * At most `max` UTF-16 units of the text, never half a character; NUL and lone surrogates become
 * U+FFFD.
 */
export function cleanText(text: string, max: number): string {
  const cut = text.length > max ? text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "") : text;
  return cut.toWellFormed().replaceAll("\0", "\uFFFD");
}

/**
 * An id, trimmed. One of more than 512 units is none: cut, two different ids would become one.
 */
export function readId(json: unknown, ...path: Path): string | undefined {
  const text = readText(json, ...path);
  return text === undefined || text.length > ID_MAX ? undefined : cleanText(text, ID_MAX);
}
