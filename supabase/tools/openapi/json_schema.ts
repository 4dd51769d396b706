import * as z from "zod";

export type JsonObject = Record<string, unknown>;

/** Formats that say all that zod's pattern for them says. */
const knownFormats = new Set(["uuid", "email", "date", "date-time"]);

/** Which side of a schema: what a caller may send, or what is answered. */
export type Direction = "input" | "output";

/**
 * The schema as OpenAPI 3.1 holds it: JSON Schema 2020-12 without what only a machine would read.
 * Further members are never forbidden: clients must live with new ones, and so does the service.
 */
export function toJsonSchema(schema: z.ZodType, direction: Direction): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: direction,
    unrepresentable: "any",
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  return json;
}

function tidy(schema: JsonObject): void {
  if (knownFormats.has(String(schema["format"]))) delete schema["pattern"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  if (schema["additionalProperties"] === false) delete schema["additionalProperties"];
  if (isFreeName(schema["propertyNames"])) delete schema["propertyNames"];
  joinNull(schema);
}

function isFreeName(names: unknown): boolean {
  return typeof names === "object" && names !== null && Object.keys(names).join() === "type";
}

/** `anyOf` of one typed schema and null is that schema with two types: viewers show it shorter. */
function joinNull(schema: JsonObject): void {
  const options = schema["anyOf"];
  if (!Array.isArray(options) || options.length !== 2) return;
  const [first, second] = options as [JsonObject, JsonObject];
  if (second["type"] !== "null" || typeof first["type"] !== "string") return;
  delete schema["anyOf"];
  Object.assign(schema, first, { type: [first["type"], "null"] });
  if (Array.isArray(first["enum"])) schema["enum"] = [...first["enum"], null];
}

/** Every property of a schema with its dotted path; those of array items stand below the array. */
export function* listProperties(
  schema: JsonObject,
  prefix = "",
): Generator<{ path: string; name: string; property: JsonObject }> {
  const properties = (schema["properties"] ?? {}) as Record<string, JsonObject>;
  for (const [name, property] of Object.entries(properties)) {
    const path = `${prefix}${name}`;
    yield { path, name, property };
    yield* listProperties(property, `${path}.`);
  }
  const items = schema["items"];
  if (typeof items === "object" && items !== null) {
    yield* listProperties(items as JsonObject, prefix);
  }
}
