/** Converts the Cloud API's answer into a receipt (pages Messages and Error codes). */
import {
  classifyHttpStatus,
  describeAnswer,
  isSuccess,
  type ReadingContext,
  toRefusalReceipt,
  toSuccessReceipt,
} from "../classification.ts";
import type { HttpAnswer } from "../http/call.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { Receipt } from "../provider.ts";
import { readCloudRetryAfterMs } from "../../runtime/retry_after.ts";
import {
  classifyWhatsappCloudError,
  listErrorTexts,
  nameWhatsappCloudError,
  readWhatsappCloudMeaning,
} from "./errors.ts";

/**
 * Reads the outcome of the message: from the error's code if the table has it, else from the HTTP
 * status.
 */
export function readWhatsappCloudAnswer(answer: HttpAnswer, context: ReadingContext): Receipt {
  const code = readNumber(answer.json, "error", "code");
  if (code === undefined && isSuccess(answer)) return readAcceptance(answer.json);
  const classification = code === undefined
    ? undefined
    : classifyWhatsappCloudError(code, readNumber(answer.json, "error", "error_subcode"));
  return toRefusalReceipt(classification ?? classifyUnlisted(answer), {
    code: code === undefined ? `http_${answer.status}` : nameWhatsappCloudError(code),
    message: context.redact(describeError(answer)),
    retryAfterMs: readCloudRetryAfterMs(answer.headers, context.nowMs),
    meaning: code === undefined ? undefined : readWhatsappCloudMeaning(code),
  });
}

/** An unlisted error with a success status leaves the outcome open, so it is ambiguous. */
function classifyUnlisted(answer: HttpAnswer): ReturnType<typeof classifyHttpStatus> {
  return isSuccess(answer) ? { verdict: "ambiguous" } : classifyHttpStatus(answer.status);
}

function readAcceptance(json: unknown): Receipt {
  const waId = readText(json, "contacts", 0, "wa_id");
  const receipt = toSuccessReceipt(
    readId(json, "messages", 0, "id"),
    // Digits only: we do not store a business-scoped user id as the address here.
    waId !== undefined && /^\d{5,20}$/.test(waId) ? waId : undefined,
  );
  const word = readText(json, "messages", 0, "message_status") ?? "";
  const isKeptBack = receipt.outcome === "accepted" && keptBack.has(word);
  return isKeptBack ? { ...receipt, channelStatus: word } : receipt;
}

/** Words for a message that Meta has accepted, and keeps until it has judged others of its kind. */
const keptBack = new Set(["held_for_quality_assessment", "paused"]);

/** Meta's message and details, with the trace id that its support asks for. */
function describeError(answer: HttpAnswer): string {
  const message = readText(answer.json, "error", "message");
  const details = readText(answer.json, "error", "error_data", "details");
  const trace = readText(answer.json, "error", "fbtrace_id");
  const words = listErrorTexts([message, details]).join(": ");
  const traced = words === "" || trace === undefined ? words : `${words} (fbtrace_id ${trace})`;
  return describeAnswer(answer, traced);
}

function readNumber(json: unknown, ...path: readonly string[]): number | undefined {
  const value = readValue(json, ...path);
  return typeof value === "number" ? value : undefined;
}
