import type { Context } from "hono";
import type { Recorded } from "../idempotency/recorded_call.ts";
import { answerJson } from "./answer.ts";
import { replayedHeaders } from "./idempotency.ts";

/** The outcome flat beside `success`, marked when it was given before. */
export function answerRecorded(
  context: Context,
  recorded: Recorded<object>,
  status: 200 | 201 = 200,
): Response {
  const headers = recorded.isReplay ? replayedHeaders : undefined;
  return answerJson(context, { success: true, ...recorded.outcome }, status, headers);
}
