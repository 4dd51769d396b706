/**
 * The table of Cloud API error codes (page Error codes, 15 May 2026). Meta's advice is to decide by
 * the code, not by the title or the HTTP status, which differs between pages and captures.
 */
import type { RefusalMeaning } from "../../model/refusal_meaning.ts";
import type { Classification, KnownCode } from "../classification.ts";

const retryInstance: Classification = { verdict: "retryable", scope: "instance" };
const retryRecipient: Classification = { verdict: "retryable", scope: "recipient" };
const refusesInstance: Classification = { verdict: "permanent", scope: "instance" };
const refusesMessage: Classification = { verdict: "permanent", scope: "message" };
const ambiguous: Classification = { verdict: "ambiguous" };

/** Every code that we know. A code of its own goes before a range. */
export const whatsappCloudCodes: readonly KnownCode[] = [
  [0, "authentication", refusesInstance],
  [190, "access token expired", refusesInstance],
  [3, "capability or permission", refusesInstance],
  [10, "permission denied", refusesInstance],
  [[200, 299], "a permission is missing", refusesInstance],
  [131005, "access denied", refusesInstance],
  [33, "number deleted", refusesInstance, "account_restricted"],
  [368, "blocked for policy violations", refusesInstance, "account_restricted"],
  [131031, "account locked", refusesInstance, "account_restricted"],
  [131037, "display name not approved", refusesInstance, "account_restricted"],
  [131042, "payment", refusesInstance, "account_restricted"],
  [131045, "certificate", refusesInstance, "account_restricted"],
  [133010, "number not registered", refusesInstance, "account_restricted"],

  [4, "rate limit of the app", retryInstance],
  [80007, "rate limit of the business account", retryInstance, "too_fast"],
  [130429, "throughput", retryInstance, "too_fast"],
  [131048, "spam rate limit", retryInstance],
  [131056, "too many messages to this recipient", retryRecipient, "too_fast"],
  [2, "temporarily unavailable", retryInstance],
  [131016, "service unavailable", retryInstance],
  [133004, "server temporarily unavailable", retryInstance],
  [131057, "account in maintenance", retryInstance],

  [1, "unknown error of the API", ambiguous],
  [131000, "something went wrong", ambiguous],

  [100, "invalid parameter", refusesMessage, "parameter_refused"],
  [131008, "parameter missing", refusesMessage],
  [131009, "parameter value not valid", refusesMessage],
  [131021, "recipient is the sender", refusesMessage],
  [131026, "undeliverable", refusesMessage],
  [
    131047,
    "over 24 hours since the recipient's last message",
    refusesMessage,
    "outside_conversation_window",
  ],
  [131049, "held back to keep engagement healthy", refusesMessage],
  [131050, "recipient stopped marketing messages", refusesMessage, "contact_opted_out"],
  [130472, "recipient's number is part of an experiment", refusesMessage],
  [130497, "the account may not write to this country", refusesMessage],
  [131051, "unsupported message type", refusesMessage, "message_type_refused"],
  // Pages of payments in Brazil (order_details, order_status).
  [2040, "the person cannot receive orders", refusesMessage, "message_type_refused"],
  [2046, "forbidden change of an order's status", refusesMessage],
  [2047, "an order with a payment cannot be canceled", refusesMessage],
  [
    131064,
    "limit reached after category violations (Direct Send)",
    refusesMessage,
    "direct_send_refused",
  ],
  [139200, "no access to Direct Send", refusesMessage, "direct_send_refused"],
  [139100, "blocking: some of the people could not be blocked", refusesMessage],
  [139101, "blocking: the list is full", refusesMessage],
  [139102, "blocking: the list changed meanwhile", retryRecipient],
  [139103, "blocking: internal, to be tried again", retryRecipient],
  [131062, "the message needs the recipient's phone", refusesMessage, "recipient_needs_phone"],
  [131052, "media download", refusesMessage],
  [131053, "media upload", refusesMessage],

  // The values of one recipient, not the template.
  [132005, "translated text too long", refusesMessage],
  [132018, "line breaks or too many spaces in a value", refusesMessage],
  [132000, "number of template parameters", refusesMessage, "template_refused"],
  [132001, "missing in the language, or not approved", refusesMessage, "template_refused"],
  [132007, "template policy", refusesMessage, "template_refused"],
  [132012, "format of template parameters", refusesMessage, "template_refused"],
  [132015, "template paused", refusesMessage, "template_refused"],
  [132016, "template disabled", refusesMessage, "template_refused"],
  [
    131063,
    "marketing templates go by another endpoint of this account",
    refusesMessage,
    "template_refused",
  ],
  [[132000, 132999], "another error of the template", refusesMessage, "template_refused"],
];

/** "Object does not exist": this token has no access to the phone number id. */
const UNKNOWN_OBJECT = { code: 100, subcode: 33 } as const;

/** The rows of the table by code, but for ranges. */
const rowsByCode = new Map(whatsappCloudCodes.map((row) => [row[0], row]));

function findRow(code: number): KnownCode | undefined {
  return rowsByCode.get(code) ??
    whatsappCloudCodes.find(([range]) =>
      typeof range === "object" && range[0] <= code && code <= range[1]
    );
}

/**
 * The code under which we report a refusal: Meta's own, except where the caller can fix it by
 * sending to a phone.
 */
export function nameWhatsappCloudError(code: number | string): string {
  return findRow(Number(code))?.[3] === "recipient_needs_phone"
    ? "recipient_needs_phone"
    : String(code);
}

/**
 * Meta's texts about one error, each once and without the code that stands before some: `(#131026) Message
 * undeliverable`. The code has its own field.
 */
export function listErrorTexts(texts: readonly (string | undefined)[]): string[] {
  const bare = texts.map((text) => text?.replace(/^\s*(?:\(#\d{1,9}\)\s*)+/, "") ?? "");
  return [...new Set(bare)].filter((text) => text !== "");
}

/** What a Cloud API error code means beyond the message; undefined for nothing. */
export function readWhatsappCloudMeaning(code: number | string): RefusalMeaning | undefined {
  return findRow(Number(code))?.[3];
}

/** The class of a Cloud API error code; undefined for an unlisted code. */
export function classifyWhatsappCloudError(
  code: number,
  subcode?: number,
): Classification | undefined {
  if (code === UNKNOWN_OBJECT.code && subcode === UNKNOWN_OBJECT.subcode) return refusesInstance;
  return findRow(code)?.[2];
}
