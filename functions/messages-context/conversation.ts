import type { History, HistoryMessage } from "../../shared/database/rpcs/history.ts";
import { nameSender, renderContent } from "../../shared/history/rendering.ts";
import type { ConversationItem } from "./contract.ts";

/** Which parts of a message the response contains. */
export interface RenderOptions {
  readonly attachments: boolean;
  readonly includeMeta: boolean;
}

/** The message items of `format=conversation` (specification, section 2). */
export function formatConversation(
  { contact, messages }: History,
  instanceName: string,
  disclosure: RenderOptions,
): ConversationItem[] {
  return messages.map((message) => ({
    role: message.direction === "inbound" ? "user" : "assistant",
    sender: nameSender(message, contact, instanceName),
    content: renderContent(message, disclosure.attachments),
    timestamp: Math.floor(message.sentAtMs / 1_000),
    status: message.direction === "inbound" ? "received" : "sent",
    ...(disclosure.includeMeta ? describeMeta(message) : {}),
  }));
}

function describeMeta(message: HistoryMessage): Partial<ConversationItem> {
  const { messageId, messageType, isGroup, chatName, cardId } = message;
  return { messageId, messageType, isGroup, chatName, cardId };
}
