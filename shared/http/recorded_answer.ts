import type { Context } from "hono";
import type * as z from "zod";
import type { Recorded } from "../idempotency/recorded_call.ts";
import type { AnswerOf } from "../model/response_fields.ts";
import { writeJson } from "./answer.ts";
import { arrangeAnswer } from "../model/arrange_answer.ts";
import { replayHeaders } from "./idempotency.ts";

/** The members of a response without `success`, for each member of a union. */
type OutcomeOf<Body> = Body extends object ? Omit<Body, "success"> : never;

/**
 * Returns a recorded outcome as the members beside `success`, and marks a replay. The caller must
 * name the response's schema, as for `answerJson`.
 */
export function answerRecorded<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  recorded: Recorded<OutcomeOf<NoInfer<AnswerOf<Schema>>>>,
  status: 200 | 201 | 202 = 200,
): Response {
  return answerOutcome(context, schema, recorded, status);
}

/** The same for an outcome whose type was checked against the contract before. */
export function answerOutcome<Outcome extends object>(
  context: Context,
  schema: z.ZodType,
  recorded: Recorded<Outcome>,
  status: 200 | 201 | 202 = 200,
): Response {
  const body = arrangeAnswer(schema, { success: true, ...recorded.outcome });
  return writeJson(context, body, status, replayHeaders(recorded));
}
