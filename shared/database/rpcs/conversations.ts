import type { ContactTarget } from "./contacts.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { Rpc } from "./rpc.ts";

export interface ConversationsRpcs {
  set_conversation_status: Rpc<SetStatusRequest, RecordedResult<ConversationState>>;
  note_conversation: Rpc<
    Once<ContactTarget & { readonly note: string }>,
    RecordedResult<RecordedNote>
  >;
}

export type ConversationStatus = "open" | "closed" | "pending";

export type SetStatusRequest = Once<
  ContactTarget & {
    readonly status: ConversationStatus;
    readonly internalNote?: string | undefined;
  }
>;

export interface ConversationState {
  readonly contactId: string;
  readonly conversationId: string;
  readonly status: ConversationStatus;
  readonly noteAdded: boolean;
}

export interface RecordedNote {
  readonly contactId: string;
  readonly conversationId: string;
  readonly noteId: string;
}
