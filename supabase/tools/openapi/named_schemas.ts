import * as z from "zod";
import { type Direction, type JsonObject, toJsonSchema } from "./json_schema.ts";

/** Prepares one schema for the document: adds the descriptions of its properties. */
export type PrepareSchema = (schema: JsonObject) => JsonObject;

/**
 * Converts a schema to components, the first under `name`. A discriminated union becomes `oneOf`
 * with `discriminator` and one component per member, so that code generators produce a type per
 * member and a union that the field narrows. In any other union each member has a `title`.
 */
export function nameSchemas(
  name: string,
  schema: z.ZodType,
  direction: Direction,
  prepare: PrepareSchema,
): Record<string, JsonObject> {
  if (!(schema instanceof z.ZodUnion)) {
    return { [name]: prepare(toJsonSchema(schema, direction)) };
  }
  const members = (schema.options as readonly z.ZodType[]).map((member, index) => {
    const tag = readTag(schema, member);
    const suffix = tag ?? member.meta()?.title ?? String(index + 1);
    return { tag, member, name: name + toPascalCase(suffix) };
  });
  const references = members.map((member) => ({ $ref: `#/components/schemas/${member.name}` }));
  const propertyName = readDiscriminator(schema);
  const union = propertyName === undefined ? { anyOf: references } : {
    oneOf: references,
    discriminator: {
      propertyName,
      mapping: Object.fromEntries(
        members.map(({ tag }, index) => [tag, references[index]?.$ref]),
      ),
    },
  };
  return members.reduce(
    (all, member) => ({ ...all, ...nameSchemas(member.name, member.member, direction, prepare) }),
    { [name]: union } as Record<string, JsonObject>,
  );
}

function readDiscriminator(schema: z.ZodUnion): string | undefined {
  return (schema.def as { readonly discriminator?: string }).discriminator;
}

/** The discriminator's value of a member of a discriminated union. */
function readTag(schema: z.ZodUnion, member: z.ZodType): string | undefined {
  const field = readDiscriminator(schema);
  if (field === undefined || !(member instanceof z.ZodObject)) return undefined;
  const literal = member.shape[field];
  return literal instanceof z.ZodLiteral ? String(literal.value) : undefined;
}

function toPascalCase(text: string): string {
  return text.split(/[_\s]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
