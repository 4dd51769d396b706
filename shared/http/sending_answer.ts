import type { Context } from "hono";
import type { SendingAnswer } from "../messages/send.ts";
import type { RefusalBody } from "../model/errors.ts";
import { answerJson } from "./answer.ts";
import { replayedHeaders } from "./idempotency.ts";

/**
 * What a sending call came to, of the type that the contract declares (it must be named): marked when it was given before, and with the provider's own
 * `Retry-After` (in seconds) where it has refused the message for now.
 */
export function answerSending<Body extends object = never>(
  context: Context,
  { response, isReplay, retryAfterMs }: SendingAnswer<NoInfer<Body> | RefusalBody>,
): Response {
  const headers = {
    ...(isReplay ? replayedHeaders : {}),
    ...(retryAfterMs === undefined ? {} : { "Retry-After": `${Math.ceil(retryAfterMs / 1_000)}` }),
  };
  return answerJson<object>(context, response.body, response.status, headers);
}
