import * as z from "zod";
import type { Issue } from "../model/errors.ts";
import { refuseFields } from "./field_refusal.ts";
import { describeIssue, joinIssues, listIssues } from "../model/issue_messages.ts";
import { prepareInput } from "../model/request_input.ts";
import { findUnstorableText } from "./storable_text.ts";

/** Checks rules between fields, also of a partly valid value. Paths are those of the schema. */
export type CrossCheck = (value: Readonly<Record<string, unknown>>) => Issue[];

/** Checks rules between a record's changes and its stored fields. */
export type ChangeCheck = (
  changes: Readonly<Record<string, unknown>>,
  stored: object,
) => Issue[];

const noCheck: CrossCheck = () => [];

/**
 * Validates a value by the contract's schema. Drops unknown fields and reports all issues at once.
 *
 * @throws {AppError} `invalid_request` with `issues`; `invalid_phone` when `phone` is not a phone
 * number, also among other issues.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  crossCheck: CrossCheck = noCheck,
): z.infer<Schema> {
  return requireValid(value, parse(schema, value), [], crossCheck(value));
}

/** The request context, which keeps the ignored fields for the response, and how the body was read. */
export interface RequestNotes {
  set(key: "ignoredFields", names: readonly string[]): void;
  set(key: "bodySchema", schema: z.ZodObject): void;
}

/**
 * Validates a body after `prepareInput`, and notes its unknown fields. Rejects text that the
 * database cannot store (NUL, or half of a surrogate pair) in every field that the schema keeps.
 *
 * @throws {AppError} as `validate`.
 */
export function validateBody<Schema extends z.ZodObject>(
  notes: RequestNotes,
  schema: Schema,
  received: Readonly<Record<string, unknown>>,
  crossCheck: CrossCheck = noCheck,
): z.infer<Schema> {
  const { value: body, ignoredFields, issues: tooLong } = prepareInput(schema, received);
  notes.set("ignoredFields", ignoredFields);
  notes.set("bodySchema", schema);
  const parsed = parse(schema, body);
  const kept = parsed.success ? parsed.data : readValidFields(schema, body);
  // A blank phone is not given, and no phone number where one is needed.
  const named = { ...body, phone: body["phone"] ?? received["phone"] };
  return requireValid(named, parsed, tooLong, crossCheck(body), findUnstorableText(kept));
}

/**
 * Validates one record of a list that its caller answers for one by one, as `validateBody` does a body. Null
 * with `issues` where it is invalid.
 */
export function findIssues<Schema extends z.ZodObject>(
  schema: Schema,
  received: Readonly<Record<string, unknown>>,
  crossCheck: CrossCheck = noCheck,
): CheckedRecord<z.infer<Schema>> {
  const { value, ignoredFields, issues: tooLong } = prepareInput(schema, received);
  const parsed = parse(schema, value);
  const unstorable = findUnstorableText(parsed.success ? parsed.data : {});
  const issues = joinIssues(tooLong, listIssues(parsed), crossCheck(value), unstorable);
  return parsed.success && issues.length === 0
    ? { value: parsed.data, issues: [], ignoredFields }
    : { value: null, issues, ignoredFields };
}

/** A record as `findIssues` has found it. */
export type CheckedRecord<Value> =
  & (
    | { readonly value: Value; readonly issues: readonly [] }
    | { readonly value: null; readonly issues: readonly Issue[] }
  )
  & { readonly ignoredFields: readonly string[] };

function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
): z.ZodSafeParseResult<z.infer<Schema>> {
  return schema.safeParse(value, { error: describeIssue });
}

/** The valid fields of an invalid body, so that their texts are checked in the same response. */
function readValidFields(
  schema: z.ZodObject,
  body: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields = Object.entries(schema.shape);
  return Object.fromEntries(
    fields.map(([name, field]) => [name, z.safeParse(field, body[name]).data]),
  );
}

function requireValid<Request>(
  value: Readonly<Record<string, unknown>>,
  parsed: z.ZodSafeParseResult<Request>,
  tooLong: readonly Issue[],
  ...further: readonly (readonly Issue[])[]
): Request {
  const issues = joinIssues(tooLong, listIssues(parsed), ...further);
  if (parsed.success && issues.length === 0) return parsed.data;
  throw refuseFields(value, issues);
}
