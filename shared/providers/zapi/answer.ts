/**
 * Converts Z-API's answer into a receipt. Z-API has no error codes, so refusals are classified by
 * error text and HTTP status.
 */
import {
  isSuccess,
  type ReadingContext,
  toSuccessReceipt,
  toTextRefusal,
} from "../classification.ts";
import type { HttpAnswer } from "../http/call.ts";
import { readId, readText } from "../../model/json_value.ts";
import type { Receipt } from "../provider.ts";
import { zapiErrors } from "./errors.ts";

/**
 * Reads the outcome of the message. `messageId` (equal to `id`) is the id in its events. `zaapId`
 * is the entry in Z-API's queue, which no status event mentions.
 */
export function readZapiAnswer(answer: HttpAnswer, context: ReadingContext): Receipt {
  if (isSuccess(answer)) {
    const messageId = readId(answer.json, "messageId") ?? readId(answer.json, "id");
    return toSuccessReceipt(messageId, undefined);
  }
  return toTextRefusal(zapiErrors, answer, readErrorText(answer.json), context);
}

function readErrorText(json: unknown): string {
  return [readText(json, "error"), readText(json, "message")]
    .filter((text) => text !== undefined).join(": ");
}
