import type { Context } from "hono";
import type { Recorded } from "../idempotency/recorded_call.ts";
import { answerJson } from "./answer.ts";
import { replayHeaders } from "./idempotency.ts";

/** The members of a response without `success`, for each member of a union. */
type OutcomeOf<Body> = Body extends object ? Omit<Body, "success"> : never;

/**
 * Returns a recorded outcome as the members beside `success`, and marks a replay. The caller must
 * name the response type, as for `answerJson`.
 */
export function answerRecorded<Body extends object = never>(
  context: Context,
  recorded: Recorded<OutcomeOf<NoInfer<Body>>>,
  status: 200 | 201 | 202 = 200,
): Response {
  return answerOutcome(context, recorded, status);
}

/** The same for an outcome whose type was checked against the contract before. */
export function answerOutcome<Outcome extends object>(
  context: Context,
  recorded: Recorded<Outcome>,
  status: 200 | 201 | 202 = 200,
): Response {
  const body = { success: true, ...recorded.outcome };
  return answerJson<object>(context, body, status, replayHeaders(recorded));
}
