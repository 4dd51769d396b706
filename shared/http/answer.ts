import type { Context } from "hono";

/**
 * Returns a JSON response. The caller must name the response type of the contract, so that a
 * missing or wrong member is a type error. Adds the request's ignored fields as `ignoredFields`
 * (decisions, section 1), so that a caller notices a misspelled field. They belong to the current
 * request, so a replay lists them too.
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
