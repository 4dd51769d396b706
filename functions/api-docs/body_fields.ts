/** The fields of a body, through the variants of its schema. */

/** A JSON schema, as far as the page reads it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

/** One row of a table of fields. */
export interface Field {
  readonly name: string;
  readonly type: string;
  /** Required in every variant. */
  readonly isRequired: boolean;
  readonly description: string;
}
export type Fields = readonly Field[];

type Schemas = Readonly<Record<string, Schema>>;

/** Lists the fields of an object or of the variants of one, each once. */
export function listFields(schema: Schema, schemas: Schemas): Fields {
  const fields = new Map<string, Field>();
  const variants = listVariants(schema, schemas);
  for (const { properties = {} } of variants) {
    for (const [name, property] of Object.entries(properties)) {
      if (fields.has(name)) continue;
      fields.set(name, {
        name,
        type: nameType(property, schemas),
        isRequired: variants.every(({ required = [] }) => required.includes(name)),
        description: property.description ?? "",
      });
    }
  }
  return [...fields.values()];
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  return schema.$ref === undefined ? schema : schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {};
}

/** The objects that a value may be. */
function listVariants(schema: Schema, schemas: Schemas): Schema[] {
  const resolved = resolve(schema, schemas);
  const others = [...resolved.anyOf ?? [], ...resolved.oneOf ?? [], ...resolved.allOf ?? []];
  return others.length === 0 ? [resolved] : others.flatMap((one) => listVariants(one, schemas));
}

function nameType(schema: Schema, schemas: Schemas): string {
  const resolved = resolve(schema, schemas);
  const types = [resolved.type ?? []].flat().filter((type) => type !== "null");
  if (types[0] === "array" && resolved.items !== undefined) {
    return `array of ${nameType(resolved.items, schemas)}`;
  }
  return types.join(" or ") || "object";
}
