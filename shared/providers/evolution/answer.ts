/** From the answer of Evolution API v2 to a receipt. */
import {
  classifyByWords,
  describeAnswer,
  isSuccess,
  type ReadingContext,
  readWordsToClass,
  toRefusalReceipt,
  toSuccessReceipt,
} from "../classification.ts";
import { evolutionErrors } from "./errors.ts";
import type { HttpAnswer } from "../http/call.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { Receipt } from "../provider.ts";
import { readRetryAfterMs } from "../../runtime/retry_after.ts";
import { readWhatsappCloudAnswer } from "../whatsapp_cloud/answer.ts";

/** What the answer says of the message. */
export function readEvolutionAnswer(answer: HttpAnswer, context: ReadingContext): Receipt {
  if (isSuccess(answer)) {
    return isMetaError(answer.json)
      ? readWhatsappCloudAnswer({ ...answer, json: { error: answer.json } }, context)
      : toSuccessReceipt(readId(answer.json, "key", "id"), readWaId(answer.json));
  }
  if (isUnknownNumber(answer)) {
    return toRefusalReceipt({ verdict: "permanent", scope: "message" }, {
      code: "number_not_on_whatsapp",
      message: "The number is not on WhatsApp.",
    });
  }
  const words = readErrorWords(answer.json);
  const classification = classifyByWords(
    evolutionErrors,
    answer.status,
    readWordsToClass(answer, words),
  );
  return toRefusalReceipt(classification, {
    code: `http_${answer.status}`,
    message: context.redact(describeAnswer(answer, words)),
    retryAfterMs: readRetryAfterMs(answer.headers, context.nowMs),
  });
}

/**
 * Evolution's channel of the Cloud API answers 201 with Meta's bare error object, for a refusal of
 * Meta's is no error to it (source, 2.3.6: `sendMessageWithTyping`).
 */
function isMetaError(json: unknown): boolean {
  return readValue(json, "key") === undefined && typeof readValue(json, "code") === "number" &&
    (readValue(json, "error_data") !== undefined || readText(json, "message") !== undefined);
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

function readErrorWords(json: unknown): string {
  const messages = listMessages(json).filter((item) => typeof item === "string");
  return [readText(json, "error"), messages.join("; "), readText(json, "message")]
    .filter((text) => text !== undefined && text !== "").join(": ");
}

/** `response.message`: one text, or a list (of lists, from the validation) of texts and objects. */
function listMessages(json: unknown): unknown[] {
  return [readValue(json, "response", "message")].flat(3).filter((item) => item !== undefined);
}
