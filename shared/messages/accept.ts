import type { Database } from "../database/database.ts";
import type {
  AcceptMessageRequest,
  AcceptResult,
  AgentRequest,
} from "../database/rpcs/messages.ts";
import { type MessageContent, toStoredContent } from "../model/message_content.ts";

/** Seconds between queued messages unless the call sets them (specification, section 8). */
export const defaultIntervalSeconds = 30;

/** A message to send. */
export interface MessageDraft {
  readonly content: MessageContent;
  /** The text that the history shows for a content without one: a template, filled. */
  readonly historyText?: string | undefined;
  readonly cardId?: string | undefined;
  readonly sentBy?: string | undefined;
  /** In milliseconds. */
  readonly delayTypingMs?: number | undefined;
}

/** Everything that one sending call asks to be recorded at once. */
export type AcceptRequest = Omit<AcceptMessageRequest, "message" | "agent"> & {
  readonly draft: MessageDraft | null;
  readonly agent?: AgentRequest;
};

/** Records a sending call in one transaction; see the SQL function `accept_message`. */
export function acceptMessage(database: Database, request: AcceptRequest): Promise<AcceptResult> {
  const { draft } = request;
  return database.rpc("accept_message", {
    instanceId: request.instanceId,
    phone: request.phone,
    idempotency: request.idempotency,
    assignment: request.assignment,
    agent: request.agent ?? null,
    message: draft === null ? null : {
      ...toStoredContent({ message: draft.historyText, ...draft.content }),
      cardId: draft.cardId,
      sentBy: draft.sentBy,
      delayTypingMs: draft.delayTypingMs,
    },
    delivery: request.delivery,
  });
}
