/** The states of a conversation (specification, section 3). */
export const conversationStatuses = ["open", "closed", "pending"] as const;
export type ConversationStatus = (typeof conversationStatuses)[number];
