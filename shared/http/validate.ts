import type * as z from "zod";
import { AppError, type Issue } from "../errors.ts";

/** Checks between fields, on what may be only partly valid; paths as in the schema. */
export type CrossCheck = (value: Readonly<Record<string, unknown>>) => Issue[];

/** The same, of the changes to a record and the record as it stands. */
export type ChangeCheck = (
  changes: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
) => Issue[];

/**
 * The value as the contract's schema reads it: unknown fields dropped, all faults told at once.
 *
 * @throws {AppError} `invalid_request` with `issues`; `invalid_phone` when the form of `phone` is
 * all that is wrong.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  crossCheck: CrossCheck = () => [],
): z.infer<Schema> {
  const parsed = schema.safeParse(value, {
    error: (issue) => issue.input === undefined ? "is required" : undefined,
  });
  const issues: Issue[] = parsed.success ? [] : parsed.error.issues.map((issue) => ({
    path: issue.path.join("."),
    message: issue.message,
  }));
  const reported = new Set(issues.map((issue) => issue.path));
  issues.push(...crossCheck(value).filter((issue) => !reported.has(issue.path)));
  if (parsed.success && issues.length === 0) return parsed.data;

  const isPhoneAlone = issues.every((issue) => issue.path === "phone") &&
    typeof value["phone"] === "string";
  throw new AppError(isPhoneAlone ? "invalid_phone" : "invalid_request", { issues });
}
