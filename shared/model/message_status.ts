/** States of a message that we send (decisions, section 5). They only move forward. */
export const messageStatuses = [
  ...["queued", "sending", "sent", "delivered", "read"] as const,
  ...["failed", "canceled", "unconfirmed", "expired"] as const,
] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** What a channel reports of a message that left. */
export const reportedStatuses = ["sent", "delivered", "read", "failed"] as const;
export type ReportedStatus = (typeof reportedStatuses)[number];

/** The states of a message in a contact's history. */
export const historyStatuses = ["received", "sent", "delivered", "read"] as const;
export type HistoryStatus = (typeof historyStatuses)[number];

/** Whether a message was received or sent. */
export const directions = ["inbound", "outbound"] as const;

/** What a call has done with its message: sent it at once, given it to the queue, or kept it for later. */
export const sendingModes = ["sent", "queued", "scheduled"] as const;
export type SendingMode = (typeof sendingModes)[number];

/**
 * What keeps a whole instance from sending: an operator, the lost connection, a session of another number, or
 * its provider's refusal.
 */
export const instanceHolds = [
  ...["operator_hold", "disconnected", "wrong_phone", "instance_held"] as const,
] as const;

/** Why a message does not go at once. */
export const holdReasons = [
  ...["interval", "window", "holiday", "delay"] as const,
  ...[
    "daily_limit",
    "new_contacts",
    "warm_up",
    "awaiting_reply",
    "budget",
    "batch_paused",
  ] as const,
  ...instanceHolds,
] as const;
export type HeldBy = (typeof holdReasons)[number];
