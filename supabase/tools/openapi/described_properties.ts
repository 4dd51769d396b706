import { glossary } from "./glossary.ts";
import { type JsonObject, listProperties } from "./json_schema.ts";

/**
 * What a property means: by `meanings` (dotted paths), otherwise what stands at its schema
 * (`.meta({ description })`), otherwise by the glossary, which may depend on the containing object.
 */
export function readMeaning(
  path: string,
  property: JsonObject,
  meanings: Readonly<Record<string, string>>,
): string | undefined {
  const names = path.split(".");
  const own = property["description"] as string | undefined;
  return meanings[path] ?? own ?? glossary[names.slice(-2).join(".")] ??
    glossary[names.at(-1) ?? ""];
}

/**
 * Adds the description of every property of a schema: see `readMeaning`.
 *
 * @throws {Error} for a property without one; it names `owner`.
 */
export function describeProperties(
  owner: string,
  schema: JsonObject,
  meanings: Readonly<Record<string, string>> = {},
): JsonObject {
  for (const { path, property } of listProperties(schema)) {
    const description = readMeaning(path, property, meanings);
    if (description === undefined) {
      throw new Error(
        `${owner}: ${path} has no description. Add it to its schema (.meta), to the fields of its operation, or to supabase/tools/openapi/glossary.ts.`,
      );
    }
    property["description"] = description;
  }
  return schema;
}
