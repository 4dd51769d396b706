import * as z from "zod";
import { type Direction, type JsonObject, toJsonSchema } from "./json_schema.ts";

/** Makes one schema ready for the document: gives each of its properties its meaning. */
export type ExplainSchema = (schema: JsonObject) => JsonObject;

/**
 * A schema as components, the first of them under `name`. A union whose members one field tells apart
 * becomes `oneOf` with `discriminator`, each member a component of its own: generators make a type
 * of each, and of the whole a union that this field narrows. In any other union a member is known by
 * its `title`.
 */
export function nameSchemas(
  name: string,
  schema: z.ZodType,
  direction: Direction,
  explain: ExplainSchema,
): Record<string, JsonObject> {
  if (!(schema instanceof z.ZodUnion)) {
    return { [name]: explain(toJsonSchema(schema, direction)) };
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
    (all, member) => ({ ...all, ...nameSchemas(member.name, member.member, direction, explain) }),
    { [name]: union } as Record<string, JsonObject>,
  );
}

function readDiscriminator(schema: z.ZodUnion): string | undefined {
  return (schema.def as { readonly discriminator?: string }).discriminator;
}

/** The value by which a member of a discriminated union is known. */
function readTag(schema: z.ZodUnion, member: z.ZodType): string | undefined {
  const field = readDiscriminator(schema);
  if (field === undefined || !(member instanceof z.ZodObject)) return undefined;
  const literal = member.shape[field];
  return literal instanceof z.ZodLiteral ? String(literal.value) : undefined;
}

function toPascalCase(text: string): string {
  return text.split(/[_\s]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
