import type * as z from "zod";
import { type Issue, maxIssues } from "./errors.ts";

type RawIssue = z.core.$ZodRawIssue;

/**
 * Describes a validation issue in this service's wording. Clients show `issues` to people, so they
 * must not contain a library's wording. A schema's own message takes precedence.
 */
export function describeIssue(issue: RawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : nameType(String(issue.expected));
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.join(", ")}`;
    case "too_small":
      return describeTooSmall(issue.origin, issue.minimum, issue.inclusive ?? true);
    case "too_big":
      return describeTooBig(issue.origin, issue.maximum, issue.inclusive ?? true);
    case "invalid_format":
      return formats[issue.format] ?? "has an invalid format";
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_key":
      return describeKey(issue.issues);
    case "unrecognized_keys":
      return "has unknown fields";
    default:
      return issue.input === undefined ? "is required" : "is invalid";
  }
}

function nameType(expected: string): string {
  return types[expected] ?? "has an invalid type";
}

const types: Readonly<Record<string, string>> = {
  string: "must be text",
  number: "must be a number",
  int: "must be a whole number",
  boolean: "must be true or false",
  array: "must be a list",
  object: "must be an object",
  record: "must be an object",
};

const formats: Readonly<Record<string, string>> = {
  email: "must be an e-mail address",
  url: "must be a URL",
  uuid: "must be a UUID",
  guid: "must be a UUID",
  datetime: "must be an instant like 2026-12-25T08:00:00-03:00",
};

/** The unit that a limit counts, by the type of value. */
const units: Readonly<Record<string, string>> = {
  string: " characters",
  array: " items",
  object: " fields",
  record: " fields",
};

function describeTooSmall(origin: string, minimum: number | bigint, inclusive: boolean): string {
  const unit = units[origin] ?? "";
  if (unit !== "" && Number(minimum) === 1) return "must not be empty";
  return `must be ${inclusive ? "at least" : "more than"} ${minimum}${unit}`;
}

function describeTooBig(origin: string, maximum: number | bigint, inclusive: boolean): string {
  return `must be ${inclusive ? "at most" : "less than"} ${maximum}${units[origin] ?? ""}`;
}

/** Describes the first issue of a key of a free-form object. */
function describeKey(faults: readonly { readonly message?: string | undefined }[]): string {
  return `has a key that ${faults[0]?.message ?? "is invalid"}`;
}

/**
 * What the schema has found, at most as many as a refusal tells. Of a value of another type nothing but this: zod
 * measures a text in the place of a list too.
 */
export function listIssues(parsed: z.ZodSafeParseResult<unknown>): Issue[] {
  const found = (parsed.error?.issues.slice(0, maxIssues) ?? [])
    .map(({ code, path, message }) => ({ code, path: path.join("."), message }));
  const mistyped = new Set(
    found.filter(({ code }) => code === "invalid_type").map(({ path }) => path),
  );
  return found.filter(({ code, path }) => code === "invalid_type" || !mistyped.has(path))
    .map(({ path, message }) => ({ path, message }));
}

/**
 * The issues of several lists, at most as many as a refusal tells. An issue of a field that a former list has
 * an issue of is left out, because further issues often follow from the first.
 */
export function joinIssues(...lists: readonly (readonly Issue[])[]): Issue[] {
  const joined: Issue[] = [];
  const paths = new Set<string>();
  for (const list of lists) {
    const added = list.filter(({ path }) => !paths.has(path)).slice(0, maxIssues - joined.length);
    for (const issue of added) paths.add(issue.path);
    joined.push(...added);
  }
  return joined;
}
