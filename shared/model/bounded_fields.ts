/** Fields of requests whose length is judged before what is in them. */
import * as z from "zod";

/**
 * A text of one form. A longer one is refused before it is compared with the form. `fold` is done to it before
 * both, and must bear any length.
 */
export function formSchema(
  form: RegExp,
  maxLength: number,
  message: string | ((text: string) => string),
  fold: (text: string) => string = (text) => text,
): z.ZodString {
  const error = typeof message === "string"
    ? message
    : ({ input }: { readonly input?: unknown }): string => message(String(input));
  return z.string().overwrite(fold).max(maxLength, { error, abort: true }).regex(form, { error });
}

/** A text of 1 to `max` characters, as JSON Schema counts them. */
export function shortTextSchema(max: number): z.ZodString {
  const message = `must be 1 to ${max} characters`;
  return z.string().max(max, { error: message, abort: true }).min(1, message);
}

/** Most members that an object may have beside those which its schema knows, where they are kept. */
export const maxFurtherFields = 100;

/** An object whose further members are kept as they are, up to a hundred: see `prepareInput`. */
export function looseObjectSchema<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$loose> {
  const maxProperties = Object.keys(shape).length + maxFurtherFields;
  return z.looseObject(shape).meta({ maxProperties });
}

/** Most members of an object whose keys the caller chooses. */
const maxKeys = 1_000;
const maxKeyLength = 200;

/** An object whose keys the caller chooses, at most a thousand. */
export function recordSchema(): z.ZodType<Record<string, unknown>, unknown> {
  const keys = z.string().min(1).max(maxKeyLength);
  return z.custom<Record<string, unknown>>(isPlainObject, "must be an object")
    .refine((value) => hasAtMost(maxKeys, value), {
      error: `must be at most ${maxKeys} fields`,
      abort: true,
    })
    .pipe(z.record(keys, z.unknown()))
    .meta({
      type: "object",
      maxProperties: maxKeys,
      propertyNames: { type: "string", minLength: 1, maxLength: maxKeyLength },
      additionalProperties: {},
    });
}

/** The schemas of `variablesSchema`: of a member without a value nothing is filled, as if it were not there. */
export const variableSchemas: WeakSet<z.ZodType> = new WeakSet();

/** Values of variables by their names. Null and blank ones are not given. */
export function variablesSchema(): z.ZodType<Record<string, unknown>, unknown> {
  const schema = recordSchema();
  variableSchemas.add(schema);
  return schema;
}

/** A free key/value object, limited in size and depth so that storing it never fails. */
export function freeObjectSchema(maxBytes: number): z.ZodType<Record<string, unknown>, unknown> {
  return recordSchema()
    .refine(isShallow, "must not be nested deeper than 10 levels")
    .refine(
      (value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxBytes,
      `must not be larger than ${maxBytes / 1024} KiB as JSON`,
    );
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether an object has at most `most` members. Counts no further. */
export function hasAtMost(most: number, value: object): boolean {
  let count = 0;
  for (const _ in value) if (++count > most) return false;
  return true;
}

/** Whether a text has more characters than `max`, as JSON Schema counts them. Counts no long text. */
export function isLongerThan(max: number, text: string): boolean {
  return text.length > 2 * max || (text.length > max && [...text].length > max);
}

const maxDepth = 10;

function isShallow(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; depth <= maxDepth; depth++) {
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : []
    );
    if (level.length === 0) return true;
  }
  return false;
}
