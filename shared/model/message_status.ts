/** States of a message that we send (decisions, section 5). They only move forward. */
export const messageStatuses = [
  ...["queued", "sending", "sent", "delivered", "read"] as const,
  ...["failed", "canceled", "unconfirmed", "expired"] as const,
] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** What keeps a whole instance from sending: an operator, the lost connection, or its provider's refusal. */
export const instanceHolds = ["operator_hold", "disconnected", "instance_held"] as const;

/** Why a message does not go at once. */
export const holdReasons = [
  ...["interval", "window", "holiday", "delay"] as const,
  ...["daily_limit", "new_contacts", "warm_up", "awaiting_reply", "budget"] as const,
  ...instanceHolds,
] as const;
export type HeldBy = (typeof holdReasons)[number];
