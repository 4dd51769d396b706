/**
 * Converts WAHA's answer into a receipt. A success has the engine's own form, or no body at all (its issues 721,
 * 760, 1087, 2157): without an id the outcome is unknown, and the event of the message tells it.
 */
import {
  isSuccess,
  type ReadingContext,
  toSuccessReceipt,
  toTextRefusal,
} from "../classification.ts";
import { normalizeAddress } from "../webhooks/addresses.ts";
import type { HttpAnswer } from "../http/call.ts";
import { readText, readValue } from "../../model/json_value.ts";
import type { Receipt } from "../provider.ts";
import { readWhatsappCode, wahaErrors } from "./errors.ts";
import { readWahaId } from "./message_id.ts";

/** Reads the outcome of the message from the answer. */
export function readWahaAnswer(answer: HttpAnswer, context: ReadingContext): Receipt {
  if (isSuccess(answer)) {
    return toSuccessReceipt(readWahaId(answer.json)?.bare, readWaId(answer.json));
  }
  const text = readErrorText(answer.json);
  const receipt = toTextRefusal(wahaErrors, answer, text, context);
  const code = readWhatsappCode(text);
  return receipt.outcome === "rejected" && code !== undefined ? { ...receipt, code } : receipt;
}

/** The number of a personal chat. A hidden identity (`@lid`) is not a number that can be sent to. */
function readWaId(json: unknown): string | undefined {
  const chats = [
    readValue(json, "key", "remoteJid"),
    readValue(json, "id", "remote"),
    readWahaId(json)?.chat,
  ];
  return chats.map((chat) => normalizeAddress(chat))
    .find((address) => address !== undefined && /^\d{5,20}$/.test(address));
}

/**
 * The texts of an error: WAHA's own in `message` (a list of validation errors) or `error`, the engine's in
 * `exception`. The answer repeats the request, which is not read.
 */
export function readErrorText(json: unknown): string {
  const listed = [readValue(json, "message")].flat(1).filter((text) => typeof text === "string");
  const texts = [
    readText(json, "error"),
    listed.join("; ").trim(),
    readText(json, "exception", "message") ?? readText(json, "exception"),
  ];
  return [...new Set(texts)].filter((text) => text !== undefined && text !== "").join(": ");
}
