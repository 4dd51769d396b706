import type { Context } from "hono";
import type * as z from "zod";
import { maxIgnoredFields } from "../model/errors.ts";
import type { AnswerOf } from "../model/response_fields.ts";
import { arrangeAnswer } from "../model/arrange_answer.ts";

/**
 * Returns a JSON response of the contract's schema, so that a missing or wrong member is a type error.
 * Its members come in the documented order: see `arrangeAnswer`.
 */
export function answerJson<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  body: NoInfer<AnswerOf<Schema>>,
  status = 200,
  headers?: Readonly<Record<string, string>>,
): Response {
  return writeJson(context, arrangeAnswer(schema, body) as object, status, headers);
}

/**
 * Returns a JSON response as it is. Adds the request's ignored parameters and fields as `ignoredFields` (decisions,
 * section 1), so that a caller notices a misspelled field. They belong to the current request, so a
 * replay lists them too.
 */
export function writeJson(
  context: Context,
  body: object,
  status: number,
  headers?: Readonly<Record<string, string>>,
): Response {
  const ignoredFields: readonly string[] = [
    ...context.get("ignoredParameters") ?? [],
    ...context.get("ignoredFields") ?? [],
  ];
  const named = ignoredFields.length === 0 ? body : { ...body, ignoredFields };
  return context.json(named, status as 200, headers);
}

/** Adds to the fields of the request that were given in vain, whose names the response tells. */
export function noteIgnoredFields(context: Context, names: readonly string[]): void {
  if (names.length === 0) return;
  const known: readonly string[] = context.get("ignoredFields") ?? [];
  context.set("ignoredFields", [...known, ...names].slice(0, maxIgnoredFields));
}
