/** Writes into a request's schema what the service takes beyond the fields' own types. */
import type { JsonObject } from "./json_schema.ts";

/** The ways to name a contact, of which a call takes exactly one. */
const recipients = ["phone", "contactId", "userId"];

/**
 * Lets each member that may be left out be null or a blank text, which mean the same (decisions, section 1), and
 * requires one of the members that name the contact where there are all of them.
 */
export function takeAsGiven(schema: JsonObject): JsonObject {
  const taken = mapSchemas(schema, takeAsGiven);
  const properties = taken["properties"] as Record<string, JsonObject> | undefined;
  if (properties === undefined) return taken;
  const required = (taken["required"] ?? []) as readonly string[];
  taken["properties"] = Object.fromEntries(
    Object.entries(properties).map(([name, property]) =>
      required.includes(name) ? [name, property] : [name, withNull(property)]
    ),
  );
  if (recipients.every((name) => name in properties && !required.includes(name))) {
    // Within allOf: beside properties, generators of types would read alternatives to them.
    const oneOfThem = { anyOf: recipients.map((name) => ({ required: [name] })) };
    taken["allOf"] = [...(taken["allOf"] as JsonObject[] | undefined ?? []), oneOfThem];
  }
  return taken;
}

function mapSchemas(schema: JsonObject, map: (schema: JsonObject) => JsonObject): JsonObject {
  const mapped = { ...schema };
  const { properties, items } = schema;
  if (isObject(properties)) {
    mapped["properties"] = Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [name, map(one as JsonObject)]),
    );
  }
  if (isObject(items)) mapped["items"] = map(items);
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const options = schema[key];
    if (Array.isArray(options)) mapped[key] = options.map((one: JsonObject) => map(one));
  }
  return mapped;
}

function withNull(property: JsonObject): JsonObject {
  const { type, anyOf, oneOf } = property;
  const options = (anyOf ?? oneOf) as readonly JsonObject[] | undefined;
  if (options !== undefined) {
    const key = anyOf === undefined ? "oneOf" : "anyOf";
    const takesNull = options.some((one) => one["type"] === "null");
    return takesNull ? property : { ...property, [key]: [...options, { type: "null" }] };
  }
  if (typeof type === "string") {
    if (type === "null") return property;
    const { enum: values, const: only, ...members } = property;
    const rest = type === "string" ? withBlank(members) : members;
    const all = Array.isArray(values) ? values : only === undefined ? undefined : [only];
    return {
      ...rest,
      type: [type, "null"],
      ...(all === undefined ? {} : { enum: [...all, null] }),
    };
  }
  return property;
}

/** What a text must hold where it is more than blank. A blank one is not given either. */
const anyInk = "\\S";

function withBlank({ minLength: _least, pattern, ...members }: JsonObject): JsonObject {
  if (pattern === undefined || pattern === anyInk) return members;
  return { ...members, pattern: `^\\s*$|${pattern}` };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
