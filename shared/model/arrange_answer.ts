import type * as z from "zod";
import { instantSchema, writeInUtc, writeWithOffset, zonedInstantSchema } from "./instant.ts";

type Arrange = (value: unknown) => unknown;
type Members = Readonly<Record<string, unknown>>;

/** The arrangement of each schema, made once. */
const arrangements = new WeakMap<z.ZodType, Arrange>();

/**
 * Returns an answer with its members in the order of its schema, which is the order of the document, and
 * its instants in one form (decisions, section 1). Records from the database come in the order of `jsonb`:
 * by the length of the names. A member that the schema lacks stays, after all others.
 */
export function arrangeAnswer<Answer>(schema: z.ZodType, answer: Answer): Answer {
  return arrangementOf(schema)(answer) as Answer;
}

function arrangementOf(schema: z.ZodType): Arrange {
  let arrange = arrangements.get(schema);
  if (arrange === undefined) {
    arrange = createArrangement(schema);
    arrangements.set(schema, arrange);
  }
  return arrange;
}

const keepAsItIs: Arrange = (value) => value;

function createArrangement(schema: z.ZodType): Arrange {
  // With a description it is another schema of the same definition.
  if (schema.def === instantSchema.def) return writeInUtc;
  if (schema.def === zonedInstantSchema.def) return writeWithOffset;
  switch (schema.def.type) {
    case "object":
      return arrangeObject(schema as z.ZodObject);
    case "array":
      return arrangeArray((schema as z.ZodArray).element as z.ZodType);
    case "union":
      return arrangeUnion((schema as z.ZodUnion).options as readonly z.ZodType[]);
    default: {
      const { innerType } = schema.def as { readonly innerType?: z.ZodType };
      return innerType === undefined ? keepAsItIs : arrangementOf(innerType);
    }
  }
}

function arrangeObject({ shape }: z.ZodObject): Arrange {
  const members = Object.entries(shape).map(([name, member]) =>
    [name, arrangementOf(member as z.ZodType)] as const
  );
  const known = new Set(Object.keys(shape));
  return (value) => {
    if (!isObject(value)) return value;
    const arranged: Record<string, unknown> = {};
    for (const [name, arrange] of members) {
      const member = value[name];
      if (member !== undefined) arranged[name] = arrange(member);
    }
    for (const name in value) {
      if (!known.has(name)) arranged[name] = value[name];
    }
    return arranged;
  };
}

function arrangeArray(element: z.ZodType): Arrange {
  const arrange = arrangementOf(element);
  if (arrange === keepAsItIs) return keepAsItIs;
  return (value) => Array.isArray(value) ? value.map(arrange) : value;
}

/** By the first option whose members the value has. */
function arrangeUnion(options: readonly z.ZodType[]): Arrange {
  const forms = options.filter((option) => option.def.type === "object").map((option) => ({
    required: listRequired(option as z.ZodObject),
    arrange: arrangementOf(option),
  }));
  if (forms.length === 0) return keepAsItIs;
  return (value) => {
    const form = isObject(value)
      ? forms.find(({ required }) =>
        required.every(([name, values]) =>
          values === null ? value[name] !== undefined : values.includes(value[name])
        )
      )
      : undefined;
    return form === undefined ? value : form.arrange(value);
  };
}

/** The members that are not optional, with the values of those that are literals. */
function listRequired({ shape }: z.ZodObject): (readonly [string, readonly unknown[] | null])[] {
  return Object.entries(shape).flatMap(([name, member]) => {
    const { type, values } = member.def as { readonly type: string; readonly values?: unknown[] };
    return type === "optional" ? [] : [[name, type === "literal" ? values ?? null : null] as const];
  });
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
