import type { Context } from "hono";
import type { SendingAnswer } from "../messages/send.ts";
import type { RefusalBody } from "../model/errors.ts";
import { answerJson } from "./answer.ts";
import { replayHeaders } from "./idempotency.ts";

/**
 * The answer to a sending call, of the type that the contract declares (it must be named): marked if
 * it is a replay, and with the provider's own `Retry-After` (in seconds) if it refused the message
 * for now.
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
