import type { Context } from "hono";
import type * as z from "zod";
import type { CredentialVault } from "../crypto/credential_vault.ts";
import { revealNotifySecret } from "../messages/ask.ts";
import type { SendingAnswer } from "../messages/sending_answer.ts";
import type { RefusalBody } from "../model/errors.ts";
import { type AnswerOf, refusalOf } from "../model/response_fields.ts";
import { writeJson } from "./answer.ts";
import { nameDocs } from "./refusal_body.ts";
import { arrangeAnswer } from "../model/arrange_answer.ts";
import { retryAfterHeader } from "../runtime/retry_after.ts";
import { replayHeaders } from "./idempotency.ts";

/** Returns the response to a sending call. */
export type AnswerSending<Body extends object> = (
  context: Context,
  answer: SendingAnswer<Body | RefusalBody>,
) => Promise<Response>;

/**
 * Creates what responds to a sending call, by the contract's schemas of the response and of the members
 * of a provider's error. `vault`: opens the secret that a call's question is notified with; absent where calls ask
 * nothing. Marks a replay, and adds `Retry-After` (in seconds) where the provider asked to
 * retry later.
 */
export function createSendingAnswer<Schema extends z.ZodType<object>>(
  response: Schema,
  failure: z.ZodObject,
  vault?: CredentialVault,
): AnswerSending<AnswerOf<Schema> & object> {
  const refusal = refusalOf(failure);
  return async (context, answer) => {
    const { outcome, retryAfterMs } = answer;
    const headers = {
      ...replayHeaders(answer),
      ...retryAfterHeader(retryAfterMs),
    };
    const instanceId = context.get("instance")?.instanceId;
    const revealed = vault === undefined
      ? outcome.body
      : await revealNotifySecret(vault, instanceId, outcome.body);
    const body = outcome.status < 300
      ? arrangeAnswer<object>(response, revealed)
      : nameDocs(arrangeAnswer(refusal, revealed as RefusalBody));
    return writeJson(context, body, outcome.status, headers);
  };
}
