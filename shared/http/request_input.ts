import type * as z from "zod";

/** A body prepared for validation by a schema. */
export interface PreparedInput {
  readonly value: Readonly<Record<string, unknown>>;
  /** Dotted paths of the fields that the schema does not define, in the body's order. */
  readonly ignoredFields: readonly string[];
}

/** Most names in `ignoredFields`: a body of 256 KiB can hold tens of thousands. */
const maxIgnoredFields = 100;

/**
 * Prepares a body for its schema (decisions, section 1). Removes null where the schema does not
 * accept it, because automation tools send null for empty inputs. Rounds fractions up where the
 * schema expects an integer. Removes unknown fields and lists them. Leaves free-form objects, such
 * as `customLabels`, unchanged.
 */
export function prepareInput(
  schema: z.ZodObject,
  body: Readonly<Record<string, unknown>>,
): PreparedInput {
  const ignoredFields: string[] = [];
  const value = prepareFields(schema, body, "", ignoredFields);
  return { value, ignoredFields: ignoredFields.slice(0, maxIgnoredFields) };
}

function prepare(schema: z.ZodType, value: unknown, path: string, ignored: string[]): unknown {
  const inner = unwrap(schema);
  switch (inner.def.type) {
    case "object":
      return isPlainObject(value)
        ? prepareFields(inner as z.ZodObject, value, `${path}.`, ignored)
        : value;
    case "array":
      return Array.isArray(value)
        ? value.map((item, index) =>
          prepare((inner as z.ZodArray).element as z.ZodType, item, `${path}.${index}`, ignored)
        )
        : value;
    case "number":
      return typeof value === "number" && (inner as z.ZodNumber).isInt ? Math.ceil(value) : value;
    default:
      return value;
  }
}

function prepareFields(
  schema: z.ZodObject,
  fields: Readonly<Record<string, unknown>>,
  prefix: string,
  ignored: string[],
): Record<string, unknown> {
  const entries = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] as z.ZodType : undefined;
    if (field === undefined) {
      if (schema.def.catchall !== undefined) return [[name, value]];
      ignored.push(prefix + name);
      return [];
    }
    if (value === null && !takesNull(field)) return [];
    return [[name, prepare(field, value, prefix + name, ignored)]];
  });
  return Object.fromEntries(entries);
}

interface Wrapping {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

/** The schema inside the wrappers optional, nullable, default and pipe. */
function unwrap(schema: z.ZodType): z.ZodType {
  const def: Wrapping = schema.def as Wrapping;
  const inner = def.innerType ?? def.in;
  return inner === undefined ? schema : unwrap(inner);
}

function takesNull(schema: z.ZodType): boolean {
  const def: Wrapping = schema.def as Wrapping;
  if (["nullable", "null", "unknown", "any"].includes(def.type)) return true;
  const inner = def.innerType ?? def.in;
  if (inner !== undefined) return takesNull(inner);
  return def.options?.some(takesNull) ?? false;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
