/** The states of a batch and of its recipients. */
export const batchStatuses = ["draft", "running", "paused", "canceled", "finished"] as const;
export type BatchStatus = (typeof batchStatuses)[number];

/** Why a batch pauses by itself. */
export const pauseReasons = ["template_refused", "account_restricted", "failures_in_row"] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** The same in words. */
const pauseReasonMeanings: Readonly<Record<PauseReason, string>> = {
  template_refused: "the channel refuses every message of the template",
  account_restricted: "the channel refuses every message of the number",
  failures_in_row: "five messages in a row have failed with the same code",
};

/** The reasons with their meanings, as a list of a sentence. */
export function describePauseReasons(): string {
  return pauseReasons.map((reason) => `\`${reason}\` (${pauseReasonMeanings[reason]})`).join(", ");
}

/** What may be done with a batch: the last part of the path. */
export const batchActions = ["start", "pause", "resume", "retry-failed", "cancel"] as const;
export type BatchAction = (typeof batchActions)[number];

/** What becomes of a call with wrong entries: nothing of it is stored, or its good entries are. */
export const batchValidations = ["strict", "permissive"] as const;
export type BatchValidation = (typeof batchValidations)[number];

export const recipientStatuses = [
  ...["pending", "queued", "sent", "delivered", "read"] as const,
  ...["failed", "unconfirmed", "canceled", "expired", "skipped"] as const,
] as const;
export type RecipientStatus = (typeof recipientStatuses)[number];
