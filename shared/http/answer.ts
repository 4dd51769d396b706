import type { Context } from "hono";

/**
 * A JSON answer, with the names of the request's fields that were ignored where there are any
 * (decisions, section 1): a misspelled field must not pass in silence. They are those of this very
 * request, so a replay names them too.
 */
export function answerJson(
  context: Context,
  body: Readonly<Record<string, unknown>>,
  status = 200,
  headers?: Readonly<Record<string, string>>,
): Response {
  const ignoredFields: readonly string[] = context.get("ignoredFields") ?? [];
  const named = ignoredFields.length === 0 ? body : { ...body, ignoredFields };
  return context.json(named, status as 200, headers);
}
