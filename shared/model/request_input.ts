import type * as z from "zod";
import { isPlainObject, maxFurtherFields, variableSchemas } from "./bounded_fields.ts";
import { type Issue, maxIgnoredFields, maxIssues } from "./errors.ts";
import { describeIssue } from "./issue_messages.ts";
import { isBlank } from "./visible_text.ts";

/** A body prepared for validation by a schema. */
export interface PreparedInput {
  readonly value: Readonly<Record<string, unknown>>;
  /** Dotted paths of the fields that the schema does not define, in the body's order. */
  readonly ignoredFields: readonly string[];
  /** What is too long, and the faults of a list that has too many. It is null in `value`: nobody reads on. */
  readonly issues: readonly Issue[];
}

/**
 * Prepares a body for its schema (decisions, section 1). Removes what is not given: null where the schema
 * does not accept it, and a blank text in an optional field, because automation tools send them for empty
 * inputs. Rounds fractions up where the schema expects an integer. Removes unknown fields and lists them.
 * Leaves free-form objects, such as `customLabels`, unchanged.
 *
 * Judges the length of a list before it looks at an item: a body holds up to a million of them, and what is
 * checked for each would keep all other callers waiting.
 */
export function prepareInput(
  schema: z.ZodObject,
  body: Readonly<Record<string, unknown>>,
): PreparedInput {
  const notes: Notes = { ignoredFields: [], issues: [] };
  const value = prepareFields(schema, body, "", notes);
  return { value, ...notes };
}

/** What is found on the way. */
interface Notes {
  readonly ignoredFields: string[];
  readonly issues: Issue[];
}

function prepare(schema: z.ZodType, value: unknown, path: string, notes: Notes): unknown {
  const inner = unwrap(schema);
  switch (inner.def.type) {
    case "object":
      return isPlainObject(value)
        ? prepareFields(inner as z.ZodObject, value, `${path}.`, notes)
        : value;
    case "array":
      return Array.isArray(value) ? prepareItems(inner as z.ZodArray, value, path, notes) : value;
    case "number":
      return typeof value === "number" && (inner as z.ZodNumber).isInt ? Math.ceil(value) : value;
    default:
      return value;
  }
}

function prepareItems(
  schema: z.ZodArray,
  items: readonly unknown[],
  path: string,
  notes: Notes,
): unknown[] | null {
  const most = readMostItems(schema);
  if (items.length > most) return refuse(path, `must be at most ${most} items`, notes);
  const element = schema.element as z.ZodType;
  const prepared = items.map((item, index) => prepare(element, item, `${path}.${index}`, notes));
  const faults = items.length > maxIssues ? findFaults(element, prepared, path) : [];
  if (faults.length < maxIssues) return prepared;
  notes.issues.push(...faults.slice(0, maxIssues - notes.issues.length));
  return null;
}

/** What is wrong with the items of a long list, up to as many faults as a refusal tells. */
function findFaults(element: z.ZodType, items: readonly unknown[], path: string): Issue[] {
  const faults: Issue[] = [];
  for (const [index, item] of items.entries()) {
    const { error } = element.safeParse(item, { error: describeIssue });
    for (const issue of error?.issues ?? []) {
      faults.push({ path: [path, index, ...issue.path].join("."), message: issue.message });
    }
    if (faults.length >= maxIssues) break;
  }
  return faults;
}

/** The schema's own `max`. */
function readMostItems({ def: { checks = [] } }: z.ZodArray): number {
  const limits = checks.map(({ _zod: { def } }) =>
    def.check === "max_length" ? (def as z.core.$ZodCheckMaxLengthDef).maximum : Infinity
  );
  return Math.min(Infinity, ...limits);
}

function prepareFields(
  schema: z.ZodObject,
  fields: Readonly<Record<string, unknown>>,
  prefix: string,
  notes: Notes,
): Record<string, unknown> {
  const keepsOthers = schema.def.catchall !== undefined;
  const prepared: [string, unknown][] = [];
  let others = 0;
  for (const [name, value] of Object.entries(fields)) {
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] as z.ZodType : undefined;
    if (field !== undefined) {
      const given = readMember(field, value);
      if (given === undefined) continue;
      prepared.push([name, prepare(field, given, prefix + name, notes)]);
    } else if (!keepsOthers) {
      if (notes.ignoredFields.length < maxIgnoredFields) notes.ignoredFields.push(prefix + name);
    } else if (++others <= maxFurtherFields) {
      prepared.push([name, value]);
    }
  }
  if (others > maxFurtherFields) {
    refuse(prefix.slice(0, -1), `must have at most ${maxFurtherFields} further fields`, notes);
  }
  return Object.fromEntries(prepared);
}

/** Notes what is too long. @returns what stands in its place. */
function refuse(path: string, message: string, { issues }: Notes): null {
  if (issues.length < maxIssues) issues.push({ path, message });
  return null;
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

/** Longer texts are read, and refused, as what they are. */
const maxBlankLength = 200;

/**
 * A member of a body as its schema is given it; undefined where it says nothing, as null and a blank text do.
 * Where an empty text is a value, a blank one says the same: it clears a contact's own text, which null does too.
 * A required text is left to its schema, but for one of nothing but marks that nobody sees, which is empty.
 */
function readMember(field: z.ZodType, value: unknown): unknown {
  if (value === null) return takesNull(field) ? null : undefined;
  if (typeof value !== "string" || value.length > maxBlankLength || !isBlank(value)) return value;
  if (field.safeParse("").success) return "";
  if (isOptional(field)) return undefined;
  return value.trim() === "" ? value : "";
}

function isOptional(schema: z.ZodType): boolean {
  const def: Wrapping = schema.def as Wrapping;
  if (["optional", "default", "prefault"].includes(def.type)) return true;
  const inner = def.innerType ?? def.in;
  return inner !== undefined && isOptional(inner);
}

/**
 * A body without the members that are not given, at any depth, for comparing two calls: unknown members and
 * numbers stay as they are. Of `variables` null and blank ones are not given.
 */
export function keepGiven(schema: z.ZodType, value: unknown): unknown {
  if (isVariables(schema)) return keepGivenVariables(value);
  const inner = unwrap(schema);
  if (inner.def.type === "array" && Array.isArray(value)) {
    const element = (inner as z.ZodArray).element as z.ZodType;
    return value.map((item) => keepGiven(element, item));
  }
  if (inner.def.type !== "object" || !isPlainObject(value)) return value;
  const { shape } = inner as z.ZodObject;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] as z.ZodType : undefined;
      if (field === undefined) return member === null ? [] : [[name, member]];
      return readMember(field, member) === undefined ? [] : [[name, keepGiven(field, member)]];
    }),
  );
}

function keepGivenVariables(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) =>
      member !== null && !(typeof member === "string" && isBlank(member))
    ),
  );
}

function isVariables(schema: z.ZodType): boolean {
  if (variableSchemas.has(schema)) return true;
  const def: Wrapping = schema.def as Wrapping;
  const inner = def.innerType ?? def.in;
  return inner !== undefined && isVariables(inner);
}

function takesNull(schema: z.ZodType): boolean {
  const def: Wrapping = schema.def as Wrapping;
  if (["nullable", "null", "unknown", "any"].includes(def.type)) return true;
  const inner = def.innerType ?? def.in;
  if (inner !== undefined) return takesNull(inner);
  return def.options?.some(takesNull) ?? false;
}
