/**
 * The table of Cloud API error codes (page Error codes, 15 May 2026). Meta's advice is to decide by
 * the code, not by the title or the HTTP status, which differs between pages and captures.
 */
import type { Classification } from "../classification.ts";

const retryInstance: Classification = { verdict: "retryable", scope: "instance" };
const retryRecipient: Classification = { verdict: "retryable", scope: "recipient" };
const refusesInstance: Classification = { verdict: "permanent", scope: "instance" };
const refusesMessage: Classification = { verdict: "permanent", scope: "message" };
const ambiguous: Classification = { verdict: "ambiguous" };

const classifications = new Map<number, Classification>([
  [0, refusesInstance], // authentication
  [190, refusesInstance], // access token expired
  [3, refusesInstance], // capability or permission
  [10, refusesInstance], // permission denied
  [131005, refusesInstance], // access denied
  [33, refusesInstance], // number deleted
  [368, refusesInstance], // blocked for policy violations
  [131031, refusesInstance], // account locked
  [131042, refusesInstance], // payment
  [131045, refusesInstance], // certificate
  [133010, refusesInstance], // number not registered

  [4, retryInstance], // rate limit of the app
  [80007, retryInstance], // rate limit of the business account
  [130429, retryInstance], // throughput
  [131048, retryInstance], // spam rate limit
  [131056, retryRecipient], // too many messages to this recipient
  [2, retryInstance], // temporarily unavailable
  [131016, retryInstance], // service unavailable
  [133004, retryInstance], // server temporarily unavailable
  [131057, retryInstance], // account in maintenance

  [1, ambiguous], // unknown error of the API
  [131000, ambiguous], // something went wrong

  [100, refusesMessage], // invalid parameter
  [131008, refusesMessage], // parameter missing
  [131009, refusesMessage], // parameter value not valid
  [131021, refusesMessage], // recipient is the sender
  [131026, refusesMessage], // undeliverable
  [131047, refusesMessage], // over 24 hours since the recipient's last message
  [131049, refusesMessage], // held back to keep engagement healthy
  [131050, refusesMessage], // recipient stopped marketing messages
  [130472, refusesMessage], // recipient's number is part of an experiment
  [131051, refusesMessage], // unsupported message type
  [131063, refusesMessage], // marketing templates go by another endpoint of this account
  [131064, refusesMessage], // limit reached after category violations (Direct Send)
  [139200, refusesMessage], // no access to Direct Send
  [139100, refusesMessage], // blocking: some of the people could not be blocked
  [139101, refusesMessage], // blocking: the list is full
  [139102, retryRecipient], // blocking: the list changed meanwhile
  [139103, retryRecipient], // blocking: internal, to be tried again
  [131062, refusesMessage], // this message needs the recipient's phone, not a user id
  [131052, refusesMessage], // media download
  [131053, refusesMessage], // media upload
  [132000, refusesMessage], // number of template parameters
  [132001, refusesMessage], // template missing in the language, or not approved
  [132005, refusesMessage], // translated text too long
  [132007, refusesMessage], // template policy
  [132012, refusesMessage], // format of template parameters
  [132015, refusesMessage], // template paused
  [132016, refusesMessage], // template disabled
]);

/** "Object does not exist": this token has no access to the phone number id. */
const UNKNOWN_OBJECT = { code: 100, subcode: 33 } as const;

/**
 * The code under which we report a refusal: Meta's own, except where the caller can fix it by
 * sending to a phone.
 */
export function nameWhatsappCloudError(code: number | string): string {
  return String(code) === "131062" ? "recipient_needs_phone" : String(code);
}

/**
 * Meta's texts about one error, each once and without the code that stands before some: `(#131026) Message
 * undeliverable`. The code has its own field.
 */
export function listErrorTexts(texts: readonly (string | undefined)[]): string[] {
  const bare = texts.map((text) => text?.replace(/^\s*(?:\(#\d{1,9}\)\s*)+/, "") ?? "");
  return [...new Set(bare)].filter((text) => text !== "");
}

/** The meaning of a Cloud API error code; undefined for an unlisted code. */
export function classifyWhatsappCloudError(
  code: number,
  subcode?: number,
): Classification | undefined {
  if (code === UNKNOWN_OBJECT.code && subcode === UNKNOWN_OBJECT.subcode) return refusesInstance;
  // 200 to 299: one code for each missing permission.
  if (code >= 200 && code <= 299) return refusesInstance;
  return classifications.get(code);
}
