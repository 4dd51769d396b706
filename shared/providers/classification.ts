/**
 * Turns a provider's answer into a receipt. Every provider looks up its own error codes first. This
 * file classifies answers without a known code.
 */
import type { RefusalMeaning } from "../model/refusal_meaning.ts";
import { readRetryAfterMs } from "../runtime/retry_after.ts";
import type { HttpAnswer, HttpFailure } from "./http/call.ts";
import type { Receipt } from "./provider.ts";

type Scope = Extract<Receipt, { outcome: "rejected" }>["scope"];

/**
 * The meaning of a refusal. `ambiguous`: the provider may have accepted the message nevertheless.
 * `isOutage`: see `Receipt`.
 */
export type Classification =
  | { readonly verdict: "retryable"; readonly scope: Scope; readonly isOutage?: true }
  | { readonly verdict: "permanent"; readonly scope: Scope }
  | { readonly verdict: "ambiguous" };

/** What a provider needs, besides the answer, to classify it. */
export interface ReadingContext {
  readonly nowMs: number;
  /**
   * Removes credentials and the recipient's number from the provider's text and limits its length.
   */
  readonly redact: (text: string) => string;
}

/**
 * The meaning of an HTTP status alone. 429 and 503 make the whole instance retry later. Other 5xx
 * and 408 come from a server or proxy that gave up on a request it had received, so the outcome is
 * unknown. A redirect and rejected credentials (401, 402, 403) affect every message of the
 * instance. Any other status refuses this message only.
 */
export function classifyHttpStatus(status: number): Classification {
  if (status === 429 || status === 503) return { verdict: "retryable", scope: "instance" };
  if (status >= 500 || status === 408) return { verdict: "ambiguous" };
  if (status < 400 || [401, 402, 403].includes(status)) {
    return { verdict: "permanent", scope: "instance" };
  }
  return { verdict: "permanent", scope: "message" };
}

export interface Refusal {
  readonly code: string;
  /** Already redacted. */
  readonly message: string;
  /** The wait that the provider requests (`Retry-After`). Kept for retryable refusals only. */
  readonly retryAfterMs?: number | undefined;
  /** What it means beyond this message; undefined for nothing. */
  readonly meaning?: RefusalMeaning | undefined;
}

/** The receipt of a refusal with this meaning. */
export function toRefusalReceipt(classification: Classification, refusal: Refusal): Receipt {
  if (classification.verdict === "ambiguous") return { outcome: "unknown", reason: refusal.code };
  const retryable = classification.verdict === "retryable";
  return {
    outcome: "rejected",
    code: refusal.code,
    message: refusal.message,
    retryable,
    ...(retryable && refusal.retryAfterMs !== undefined
      ? { retryAfterMs: refusal.retryAfterMs }
      : {}),
    scope: classification.scope,
    ...("isOutage" in classification ? { isOutage: classification.isOutage } : {}),
    ...(refusal.meaning === undefined ? {} : { meaning: refusal.meaning }),
  };
}

/** The instance is disconnected (session lost, gateway down) and may recover. Nothing was sent. */
export const instanceOutage: Classification = {
  verdict: "retryable",
  scope: "instance",
  isOutage: true,
};

/**
 * Bad credentials or account: every message of the instance is refused until an administrator fixes
 * it.
 */
export const instanceRefusal: Classification = { verdict: "permanent", scope: "instance" };

/**
 * A code, or the first and the last of several; what it says, in a few words; what we do about it; and what
 * it means beyond its message.
 */
export type KnownCode = readonly [
  code: number | readonly [first: number, last: number],
  says: string,
  Classification,
  RefusalMeaning?,
];

/** The meaning of a text in a provider's answer. */
export interface KnownAnswer {
  /** Undefined: the rule applies to every status. */
  readonly statuses?: readonly number[];
  readonly words: RegExp;
  readonly classification: Classification;
  /** What it means beyond its message; undefined for nothing. */
  readonly meaning?: RefusalMeaning;
}

/**
 * The receipt of a refusal from a provider without error codes.
 *
 * @param text the text of the answer's known fields; empty where it has none.
 */
export function toTextRefusal(
  table: readonly KnownAnswer[],
  answer: HttpAnswer,
  text: string,
  context: ReadingContext,
): Receipt {
  const known = findByText(table, answer.status, readTextToClassify(answer, text));
  return toRefusalReceipt(known?.classification ?? classifyHttpStatus(answer.status), {
    code: `http_${answer.status}`,
    message: context.redact(describeAnswer(answer, text)),
    retryAfterMs: readRetryAfterMs(answer.headers, context.nowMs),
    meaning: known?.meaning,
  });
}

/** The row of the table for this text and status; undefined for none. */
function findByText(
  table: readonly KnownAnswer[],
  status: number,
  words: string,
): KnownAnswer | undefined {
  return table.find((entry) =>
    (entry.statuses?.includes(status) ?? true) && entry.words.test(words)
  );
}

/**
 * The receipt of a call without an answer. A failed connection is an outage of the instance. A call
 * that was not made, because this process has too many open, is not an outage.
 */
export function toFailureReceipt(failure: HttpFailure): Receipt {
  if (failure.outcome === "unknown") return failure;
  const isOutage = failure.reason === "connection_failed";
  return toRefusalReceipt(isOutage ? instanceOutage : classifyHttpStatus(503), {
    code: "provider_unreachable",
    message: "No connection to the provider could be made.",
  });
}

/**
 * The receipt of a 2xx answer. With a message id it is `accepted`. Without one it is `unknown`,
 * because the message may be on its way.
 */
export function toSuccessReceipt(
  providerMessageId: string | undefined,
  waId: string | undefined,
): Receipt {
  if (providerMessageId === undefined) {
    return { outcome: "unknown", reason: "answer_without_message_id" };
  }
  return { outcome: "accepted", providerMessageId, ...(waId === undefined ? {} : { waId }) };
}

/** Whether the status is 2xx. */
export function isSuccess(answer: HttpAnswer): boolean {
  return answer.status >= 200 && answer.status < 300;
}

/**
 * The description of a refusal for callers: the text of the provider's known fields, else the
 * status. Never returns the raw body. An instance's address may lead to another internal service,
 * whose answer must not leak.
 */
export function describeAnswer(answer: HttpAnswer, knownText: string): string {
  if (knownText !== "") return knownText;
  return `The provider answered with HTTP status ${answer.status}.`;
}

/**
 * The text by which a refusal is classified: the same text, else the raw body, which is never
 * passed on.
 */
function readTextToClassify(answer: HttpAnswer, knownText: string): string {
  if (knownText !== "" || answer.json !== undefined) return knownText;
  const text = answer.text.trim();
  return text.startsWith("<") ? "" : text;
}
