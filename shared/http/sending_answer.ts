import type { Context } from "hono";
import type { SendingAnswer } from "../sending.ts";
import { replayedHeaders } from "./idempotency.ts";

/** What a sending call came to, marked when it was given before. */
export function answerSending(context: Context, { response, isReplay }: SendingAnswer): Response {
  const headers = isReplay ? replayedHeaders : undefined;
  return context.json(response.body, response.status as 200, headers);
}
