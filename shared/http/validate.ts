import * as z from "zod";
import type { Issue } from "../model/errors.ts";
import { refuseFields } from "./field_refusal.ts";
import { describeIssue } from "../model/issue_messages.ts";
import { prepareInput } from "./request_input.ts";
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
  return requireValid(value, parse(schema, value), crossCheck(value));
}

/** The request context, which keeps the ignored fields for the response. */
export interface RequestNotes {
  set(key: "ignoredFields", names: readonly string[]): void;
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
  const { value: body, ignoredFields } = prepareInput(schema, received);
  notes.set("ignoredFields", ignoredFields);
  const parsed = parse(schema, body);
  const found = crossCheck(body);
  const kept = parsed.success ? parsed.data : readValidFields(schema, body);
  return requireValid(body, parsed, [...found, ...withoutPathsOf(found, findUnstorableText(kept))]);
}

/**
 * Validates one record of a list that its caller answers for one by one. `value` is prepared, see
 * `prepareInput`. Null with `issues` where it is invalid.
 */
export function findIssues<Schema extends z.ZodObject>(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  crossCheck: CrossCheck = noCheck,
):
  | { readonly value: z.infer<Schema>; readonly issues: readonly [] }
  | { readonly value: null; readonly issues: readonly Issue[] } {
  const parsed = parse(schema, value);
  const issues: Issue[] = parsed.success ? [] : parsed.error.issues.map((issue) => ({
    path: issue.path.join("."),
    message: issue.message,
  }));
  issues.push(...withoutPathsOf(issues, crossCheck(value)));
  issues.push(...withoutPathsOf(issues, findUnstorableText(parsed.success ? parsed.data : {})));
  return parsed.success && issues.length === 0
    ? { value: parsed.data, issues: [] }
    : { value: null, issues };
}

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
  furtherIssues: readonly Issue[],
): Request {
  const issues: Issue[] = parsed.success ? [] : parsed.error.issues.map((issue) => ({
    path: issue.path.join("."),
    message: issue.message,
  }));
  issues.push(...withoutPathsOf(issues, furtherIssues));
  if (parsed.success && issues.length === 0) return parsed.data;
  throw refuseFields(value, issues);
}

/** Reports one issue per field, because further issues often follow from the first. */
function withoutPathsOf(reported: readonly Issue[], issues: readonly Issue[]): Issue[] {
  const paths = new Set(reported.map(({ path }) => path));
  return issues.filter(({ path }) => !paths.has(path));
}
