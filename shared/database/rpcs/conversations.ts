import type { ContactTarget } from "./contacts.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Rpc } from "./rpc.ts";

export interface ConversationsRpcs {
  list_conversation_notes: Rpc<PageRequest<ConversationReference>, Page<NoteRecord>>;
  list_conversation_transfers: Rpc<PageRequest<ConversationReference>, Page<TransferRecord>>;
  unassign_conversation: Rpc<Once<ContactTarget>, RecordedResult<UnassignedConversation>>;
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

/** A conversation of an instance. */
export interface ConversationReference {
  readonly instanceId: string;
  readonly conversationId: string;
}

export interface NoteRecord {
  readonly noteId: string;
  readonly note: string;
  readonly createdAt: string;
}

export interface TransferRecord {
  readonly fromOperatorId: string;
  /** Null for a transfer to nobody. */
  readonly toOperatorId: string | null;
  readonly createdAt: string;
}

export interface UnassignedConversation {
  readonly contactId: string;
  readonly assignedTo: null;
  /** Null where the conversation had no operator. */
  readonly previousAssignedTo: string | null;
}
