/** States of a message that we send (decisions, section 5). They only move forward. */
export const messageStatuses = [
  ...["queued", "sending", "sent", "delivered", "read"] as const,
  ...["failed", "canceled", "unconfirmed", "expired"] as const,
] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** Why a message does not go at once. */
export const holdReasons = [
  ...["interval", "window", "holiday", "delay", "operator_hold"] as const,
  ...["daily_limit", "new_contacts", "warm_up", "disconnected"] as const,
  ...["awaiting_reply", "budget"] as const,
] as const;
export type HeldBy = (typeof holdReasons)[number];
