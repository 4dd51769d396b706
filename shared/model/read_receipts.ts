/**
 * When received messages are marked as read on the channel without a call: never, when an answer to the
 * person was sent, or when they arrive.
 */
export const readReceiptModes = ["off", "on_reply", "on_receive"] as const;

export type ReadReceipts = (typeof readReceiptModes)[number];
