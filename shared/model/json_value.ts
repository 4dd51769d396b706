/**
 * Reads values from a provider's JSON without trusting its shape. No reader throws.
 */

import { cutText } from "./cut_text.ts";

type Path = readonly (string | number)[];

/** Longest id, in UTF-16 units. */
export const ID_MAX = 512;

/** The value of a JSON text, each text in it as `toText` gives it; undefined if it is not JSON. */
export function parseJson(text: string, toText?: (text: string) => string): unknown {
  try {
    return toText === undefined
      ? JSON.parse(text)
      : JSON.parse(text, (_key, value) => typeof value === "string" ? toText(value) : value);
  } catch {
    return undefined;
  }
}

/** The value at a path of keys and positions; undefined if there is none. */
export function readValue(json: unknown, ...path: Path): unknown {
  let value = json;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** The text at a path, trimmed; undefined if it is missing or blank. */
export function readText(json: unknown, ...path: Path): string | undefined {
  const value = readValue(json, ...path);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

/**
 * At most `max` UTF-16 units of the text, never a part of a character; NUL and lone surrogates become
 * U+FFFD.
 */
export function cleanText(text: string, max: number): string {
  return cutText(text, max).toWellFormed().replaceAll("\0", "\uFFFD");
}

/**
 * An id, trimmed; undefined if it has more than 512 units. It is not cut, because two different ids
 * could become equal.
 */
export function readId(json: unknown, ...path: Path): string | undefined {
  const text = readText(json, ...path);
  return text === undefined || text.length > ID_MAX ? undefined : cleanText(text, ID_MAX);
}
