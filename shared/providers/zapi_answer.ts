/** From Z-API's answer to a receipt. It has no error codes: refusals are read by words and HTTP status. */
import {
  classifyByWords,
  describeAnswer,
  isSuccess,
  type ReadingContext,
  toRefusalReceipt,
  toSuccessReceipt,
} from "./classification.ts";
import type { HttpAnswer } from "./http_call.ts";
import { readId, readText } from "./json_value.ts";
import type { Receipt } from "./provider.ts";
import { readRetryAfterMs } from "./retry_after.ts";
import { zapiErrors } from "./zapi_errors.ts";

/**
 * What the answer says of the message. `messageId` (`id` is the same) is the one that its events
 * carry; `zaapId` names the entry in Z-API's queue, which no status event mentions.
 */
export function readZapiAnswer(answer: HttpAnswer, context: ReadingContext): Receipt {
  if (isSuccess(answer)) {
    const messageId = readId(answer.json, "messageId") ?? readId(answer.json, "id");
    return toSuccessReceipt(messageId, undefined);
  }
  const words = describeError(answer);
  return toRefusalReceipt(classifyByWords(zapiErrors, answer.status, words), {
    code: `http_${answer.status}`,
    message: context.redact(words),
    retryAfterMs: readRetryAfterMs(answer.headers, context.nowMs),
  });
}

function describeError(answer: HttpAnswer): string {
  const words = [readText(answer.json, "error"), readText(answer.json, "message")]
    .filter((text) => text !== undefined);
  return words.length === 0 ? describeAnswer(answer) : words.join(": ");
}
