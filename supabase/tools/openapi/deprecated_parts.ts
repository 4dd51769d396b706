import type { Deprecation } from "../../../shared/model/deprecations.ts";
import type { JsonObject } from "./json_schema.ts";
import type { DescribedOperation } from "./operation_object.ts";

/**
 * Marks in a described operation what of it is to go: `deprecated`, with what to do instead and until when it
 * works, and the headers that its answers tell it with.
 *
 * @throws {Error} for a field or parameter that the operation does not have.
 */
export function markDeprecated(
  { operation, schemas }: DescribedOperation,
  entries: readonly Deprecation[],
): void {
  for (const entry of entries) {
    const parts = entry.member === undefined ? [operation] : [
      ...findParameters(operation, entry.member),
      ...findFields(operation, schemas, entry.member),
    ];
    if (parts.length === 0) throw new Error(`nothing is called ${entry.member}`);
    for (const part of parts) mark(part, entry);
  }
  if (entries.length === 0) return;
  for (const response of Object.values(operation["responses"] as JsonObject) as JsonObject[]) {
    if ("$ref" in response) continue;
    response["headers"] = { ...(response["headers"] as JsonObject), ...noticeHeaders };
  }
}

const noticeHeaders: JsonObject = {
  Deprecation: {
    description: "Since when what the call uses is to go: `@` and Unix time (RFC 9745).",
    schema: { type: "string" },
  },
  Sunset: {
    description: "From when it may be gone: a date of HTTP (RFC 8594).",
    schema: { type: "string" },
  },
};

function mark(part: JsonObject, { since, until, instead }: Deprecation): void {
  part["deprecated"] = true;
  const notice = `**Deprecated** since ${since}, may be gone from ${until}. ${instead}`;
  part["description"] = [notice, part["description"]].filter(Boolean).join(" ");
}

function findParameters(operation: JsonObject, name: string): JsonObject[] {
  return (operation["parameters"] as JsonObject[]).filter((one) =>
    one["in"] === "query" && one["name"] === name
  );
}

/** The field in the body's schema and its variants. */
function findFields(
  operation: JsonObject,
  schemas: Readonly<Record<string, JsonObject>>,
  name: string,
): JsonObject[] {
  const found = new Set<JsonObject>();
  const seen = new Set<unknown>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    const { $ref, properties, anyOf = [], oneOf = [], allOf = [] } = value as JsonObject;
    if (typeof $ref === "string") visit(schemas[$ref.split("/").at(-1) ?? ""]);
    const field = (properties as JsonObject | undefined)?.[name];
    if (field !== undefined) found.add(field as JsonObject);
    for (const part of [anyOf, oneOf, allOf].flat()) visit(part);
  };
  const body = operation["requestBody"] as { content?: JsonObject } | undefined;
  visit((body?.content?.["application/json"] as JsonObject | undefined)?.["schema"]);
  return [...found];
}
