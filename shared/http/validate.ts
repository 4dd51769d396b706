import * as z from "zod";
import { AppError, type Issue } from "../model/errors.ts";
import { findPhoneFault } from "../model/phone.ts";
import { describeIssue } from "./issue_words.ts";
import { prepareInput } from "./request_input.ts";
import { findUnstorableText } from "./storable_text.ts";

/** Checks between fields, on what may be only partly valid; paths as in the schema. */
export type CrossCheck = (value: Readonly<Record<string, unknown>>) => Issue[];

/** The same, of the changes to a record and the record as it stands. */
export type ChangeCheck = (
  changes: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
) => Issue[];

const noCheck: CrossCheck = () => [];

/**
 * The value as the contract's schema reads it: unknown fields dropped, all faults told at once.
 *
 * @throws {AppError} `invalid_request` with `issues`; `invalid_phone` when `phone` is no phone number,
 * whatever else is wrong.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  crossCheck: CrossCheck = noCheck,
): z.infer<Schema> {
  return conclude(value, parse(schema, value), crossCheck(value));
}

/** Where a request's ignored fields are noted for its answer: the context of the request. */
export interface RequestNotes {
  set(key: "ignoredFields", names: readonly string[]): void;
}

/**
 * The same for a body, once null and fractions are settled (see `prepareInput`); notes its unknown
 * fields. A body may hold text that the database cannot store (NUL, or half of a surrogate pair):
 * refused in all that the schema keeps.
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
  const kept = parsed.success ? parsed.data : readSoundFields(schema, body);
  return conclude(body, parsed, [...found, ...withoutPathsOf(found, findUnstorableText(kept))]);
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
): z.ZodSafeParseResult<z.infer<Schema>> {
  return schema.safeParse(value, { error: describeIssue });
}

/** What would be kept of a body with other faults, so that all are told at once. */
function readSoundFields(
  schema: z.ZodObject,
  body: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields = Object.entries(schema.shape);
  return Object.fromEntries(
    fields.map(([name, field]) => [name, z.safeParse(field, body[name]).data]),
  );
}

function conclude<Request>(
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

  const { phone } = value;
  if (typeof phone !== "string" || !issues.some(({ path }) => path === "phone")) {
    throw new AppError("invalid_request", { issues });
  }
  const isImpossible = findPhoneFault(phone) === "impossible";
  throw new AppError("invalid_phone", {
    issues,
    ...(isImpossible ? { message: impossiblePhoneMessage } : {}),
  });
}

const impossiblePhoneMessage =
  "No such phone number exists: send phone with its country code, such as 5511988887777 for Brazil.";

/** A field's first fault is enough: what follows from it would be told twice. */
function withoutPathsOf(told: readonly Issue[], issues: readonly Issue[]): Issue[] {
  const paths = new Set(told.map(({ path }) => path));
  return issues.filter(({ path }) => !paths.has(path));
}
