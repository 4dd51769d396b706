import type { Context } from "hono";

/**
 * A JSON answer of the type that the contract declares: it must be named, so that a missing or a wrong
 * member is a type error. Names the request's fields that were ignored, where there are any
 * (decisions, section 1): a misspelled field must not pass in silence. They are those of this very
 * request, so a replay names them too.
 */
export function answerJson<Body extends object = never>(
  context: Context,
  body: NoInfer<Body>,
  status = 200,
  headers?: Readonly<Record<string, string>>,
): Response {
  const ignoredFields: readonly string[] = context.get("ignoredFields") ?? [];
  const named = ignoredFields.length === 0 ? body : { ...body, ignoredFields };
  return context.json(named, status as 200, headers);
}
