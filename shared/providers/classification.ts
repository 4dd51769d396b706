/**
 * Turns a provider's answer into a receipt. Every provider reads its own error codes first; this
 * file covers answers without a known code.
 */
import type { HttpAnswer, HttpFailure } from "./http/call.ts";
import type { Receipt } from "./provider.ts";

type Scope = Extract<Receipt, { outcome: "rejected" }>["scope"];

/**
 * What a refusal means. `ambiguous`: the provider may have accepted the message all the same.
 * `isOutage`: see `Receipt`.
 */
export type Classification =
  | { readonly verdict: "retryable"; readonly scope: Scope; readonly isOutage?: true }
  | { readonly verdict: "permanent"; readonly scope: Scope }
  | { readonly verdict: "ambiguous" };

/** What a reader of answers needs beside the answer. */
export interface ReadingContext {
  readonly nowMs: number;
  /** Takes credentials and the recipient's number out of the provider's words and bounds them. */
  readonly redact: (text: string) => string;
}

/**
 * What an HTTP status alone means. 429 and 503 ask the whole instance to retry later. Other 5xx and
 * 408 come from a server or proxy that gave up on a request it had received, so the outcome is
 * unknown. A redirect and refused credentials (401, 402, 403) affect every message of the instance.
 * Any other status refuses this message.
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
  /** Redacted already. */
  readonly message: string;
  /** What the provider asks for; kept for refusals that may be tried again. */
  readonly retryAfterMs?: number | undefined;
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
  };
}

/** The instance is cut off (session gone, gateway down) and may come back; nothing was sent. */
export const instanceOutage: Classification = {
  verdict: "retryable",
  scope: "instance",
  isOutage: true,
};

/** Bad credentials or account: every message of the instance is refused until somebody fixes it. */
export const instanceRefusal: Classification = { verdict: "permanent", scope: "instance" };

/** What a text in a provider's answer means. */
export interface KnownAnswer {
  /** Undefined for every status. */
  readonly statuses?: readonly number[];
  readonly words: RegExp;
  readonly classification: Classification;
}

/** The meaning of this text and status in the table, else of the status alone. */
export function classifyByWords(
  table: readonly KnownAnswer[],
  status: number,
  words: string,
): Classification {
  const known = table.find((entry) =>
    (entry.statuses?.includes(status) ?? true) && entry.words.test(words)
  );
  return known?.classification ?? classifyHttpStatus(status);
}

/**
 * The receipt of a call that no answer came to. A provider to which no connection can be made is an
 * outage of the instance. A call that was not tried, because this process makes too many, is not.
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
 * The receipt of a 2xx answer: accepted with a message id; unknown without one, because the message
 * may be on its way.
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
 * The description of a refusal for callers: the text of the provider's known fields, else the status.
 * Never the raw body: another internal service may answer at an instance's address, and its answer
 * must not leak.
 */
export function describeAnswer(answer: HttpAnswer, knownWords: string): string {
  if (knownWords !== "") return knownWords;
  return `The provider answered with HTTP status ${answer.status}.`;
}

/** The text to classify a refusal by: the same, else the plain body, which is not passed on. */
export function readWordsToClass(answer: HttpAnswer, knownWords: string): string {
  if (knownWords !== "" || answer.json !== undefined) return knownWords;
  const text = answer.text.trim();
  return text.startsWith("<") ? "" : text;
}
