/** From the answer of Evolution API v2 to a receipt. */
import {
  classifyHttpStatus,
  describeAnswer,
  isSuccess,
  type ReadingContext,
  toRefusalReceipt,
  toSuccessReceipt,
} from "./classification.ts";
import type { HttpAnswer } from "./http_call.ts";
import { readId, readText, readValue } from "./json_value.ts";
import type { Receipt } from "./provider.ts";
import { readRetryAfterMs } from "./retry_after.ts";

/** What the answer says of the message. */
export function readEvolutionAnswer(answer: HttpAnswer, context: ReadingContext): Receipt {
  if (isSuccess(answer)) {
    return toSuccessReceipt(readId(answer.json, "key", "id"), readWaId(answer.json));
  }
  if (isUnknownNumber(answer)) {
    return toRefusalReceipt({ verdict: "permanent", scope: "message" }, {
      code: "number_not_on_whatsapp",
      message: "The number is not on WhatsApp.",
    });
  }
  return toRefusalReceipt(classifyHttpStatus(answer.status), {
    code: `http_${answer.status}`,
    message: context.redact(describeError(answer)),
    retryAfterMs: readRetryAfterMs(answer.headers, context.nowMs),
  });
}

/** The number of a personal JID; a hidden identity (`@lid`) is no address to send to. */
function readWaId(json: unknown): string | undefined {
  const jid = readText(json, "key", "remoteJid") ?? "";
  return /^(\d{5,20})(?::\d+)?@s\.whatsapp\.net$/.exec(jid)?.[1];
}

/** 400 with the looked-up number in the place of the error's messages. */
function isUnknownNumber(answer: HttpAnswer): boolean {
  return answer.status === 400 &&
    listMessages(answer.json).some((item) => readValue(item, "exists") === false);
}

function describeError(answer: HttpAnswer): string {
  const error = readText(answer.json, "error");
  const messages = listMessages(answer.json).filter((item) => typeof item === "string");
  const words = [error, messages.join("; ")].filter((text) => text !== undefined && text !== "");
  return words.length === 0 ? describeAnswer(answer) : words.join(": ");
}

/** `response.message`: one text, or a list (of lists, from the validation) of texts and objects. */
function listMessages(json: unknown): unknown[] {
  return [readValue(json, "response", "message")].flat(3).filter((item) => item !== undefined);
}
