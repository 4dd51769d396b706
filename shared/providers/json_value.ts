/** Reads values out of a provider's JSON, of which nothing may be taken for granted. */

/** The value at a path of keys and positions; undefined where the path leads nowhere. */
export function readValue(json: unknown, ...path: readonly (string | number)[]): unknown {
  let value = json;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** The text at a path, trimmed; undefined where there is none or it is blank. */
export function readText(
  json: unknown,
  ...path: readonly (string | number)[]
): string | undefined {
  const value = readValue(json, ...path);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}
