import type { Context } from "hono";
import type { SendingAnswer } from "../messages/send.ts";
import type { RefusalBody } from "../model/errors.ts";
import { answerJson } from "./answer.ts";
import { replayHeaders } from "./idempotency.ts";

/**
 * Returns the response to a sending call. The caller must name the response type of the contract.
 * Marks a replay, and adds `Retry-After` (in seconds) where the provider asked to retry later.
 */
export function answerSending<Body extends object = never>(
  context: Context,
  answer: SendingAnswer<NoInfer<Body> | RefusalBody>,
): Response {
  const { outcome, retryAfterMs } = answer;
  const headers = {
    ...replayHeaders(answer),
    ...(retryAfterMs === undefined ? {} : { "Retry-After": `${Math.ceil(retryAfterMs / 1_000)}` }),
  };
  return answerJson<object>(context, outcome.body, outcome.status, headers);
}
