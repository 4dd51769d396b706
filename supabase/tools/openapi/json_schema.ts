import * as z from "zod";

export type JsonObject = Record<string, unknown>;

/** Formats that make zod's pattern for them redundant. */
const knownFormats = new Set(["uuid", "email", "date", "date-time"]);

/** The side of a schema: the request or the response. */
export type Direction = "input" | "output";

/**
 * Converts a schema to OpenAPI 3.1: JSON Schema 2020-12 without redundant keywords. Never forbids
 * additional members: clients must tolerate new ones, and so does the service.
 */
export function toJsonSchema(schema: z.ZodType, direction: Direction): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: direction,
    unrepresentable: "any",
    override: ({ jsonSchema }) => simplify(jsonSchema),
  });
  return json;
}

function simplify(schema: JsonObject): void {
  if (knownFormats.has(String(schema["format"]))) delete schema["pattern"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  if (schema["additionalProperties"] === false) delete schema["additionalProperties"];
  if (isUnrestrictedName(schema["propertyNames"])) delete schema["propertyNames"];
  joinNull(schema);
}

function isUnrestrictedName(names: unknown): boolean {
  return typeof names === "object" && names !== null && Object.keys(names).join() === "type";
}

/**
 * Converts `anyOf` of one typed schema and null to that schema with two types, because viewers show
 * it more compactly.
 */
function joinNull(schema: JsonObject): void {
  const options = schema["anyOf"];
  if (!Array.isArray(options) || options.length !== 2) return;
  const [first, second] = options as [JsonObject, JsonObject];
  if (second["type"] !== "null" || typeof first["type"] !== "string") return;
  delete schema["anyOf"];
  Object.assign(schema, first, { type: [first["type"], "null"] });
  if (Array.isArray(first["enum"])) schema["enum"] = [...first["enum"], null];
}

/**
 * Returns every property of a schema with its dotted path. Properties of array items are below the
 * array's path.
 */
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
