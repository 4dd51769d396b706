/** Converts the answer of Evolution API v2 into a receipt. */
import {
  isSuccess,
  type ReadingContext,
  toRefusalReceipt,
  toSuccessReceipt,
  toTextRefusal,
} from "../classification.ts";
import { normalizeAddress } from "../webhooks/addresses.ts";
import { evolutionErrors } from "./errors.ts";
import type { HttpAnswer } from "../http/call.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { Receipt } from "../provider.ts";
import { readWhatsappCloudAnswer } from "../whatsapp_cloud/answer.ts";

/** Reads the outcome of the message from the answer. */
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
  return toTextRefusal(evolutionErrors, answer, readErrorText(answer.json), context);
}

/**
 * Evolution's Cloud API channel answers 201 with Meta's bare error object. It does not treat a
 * refusal by Meta as an error (source, 2.3.7: `sendMessageWithTyping`).
 */
function isMetaError(json: unknown): boolean {
  return readValue(json, "key") === undefined && typeof readValue(json, "code") === "number" &&
    (readValue(json, "error_data") !== undefined || readText(json, "message") !== undefined);
}

/** The number of a personal JID. A hidden identity (`@lid`) is not a number that can be sent to. */
function readWaId(json: unknown): string | undefined {
  const address = normalizeAddress(readValue(json, "key", "remoteJid")) ?? "";
  return /^\d{5,20}$/.test(address) ? address : undefined;
}

/** Whether this is a 400 that holds the result of the number lookup instead of error messages. */
function isUnknownNumber(answer: HttpAnswer): boolean {
  return answer.status === 400 &&
    listMessages(answer.json).some((item) => readValue(item, "exists") === false);
}

function readErrorText(json: unknown): string {
  const messages = listMessages(json).filter((item) => typeof item === "string");
  return [readText(json, "error"), messages.join("; "), readText(json, "message")]
    .filter((text) => text !== undefined && text !== "").join(": ");
}

/**
 * `response.message`: one text, or a list of texts and objects. Validation errors are nested lists.
 */
function listMessages(json: unknown): unknown[] {
  return [readValue(json, "response", "message")].flat(3).filter((item) => item !== undefined);
}
