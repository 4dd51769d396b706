import { glossary } from "./glossary.ts";
import { type JsonObject, listProperties } from "./json_schema.ts";

/**
 * Adds the description of every property of a schema: `meanings` by dotted path, otherwise the one that
 * stands at the schema itself (`.meta({ description })`), otherwise the glossary's, which may depend on
 * the containing object.
 *
 * @throws {Error} for a property without one; it names `owner`.
 */
export function describeProperties(
  owner: string,
  schema: JsonObject,
  meanings: Readonly<Record<string, string>> = {},
): JsonObject {
  for (const { path, name, property } of listProperties(schema)) {
    const description = meanings[path] ?? property["description"] ??
      glossary[path.split(".").slice(-2).join(".")] ?? glossary[name];
    if (description === undefined) {
      throw new Error(
        `${owner}: ${path} has no description. Add it to its schema (.meta), to the fields of its operation, or to supabase/tools/openapi/glossary.ts.`,
      );
    }
    property["description"] = description;
  }
  return schema;
}
