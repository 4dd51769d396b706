import type { ReceivedPart } from "../../model/received_parts.ts";
import type { ContactTarget } from "./contacts.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Rpc } from "./rpc.ts";

export interface ConversationsRpcs {
  get_conversation: Rpc<ConversationReference, ConversationRecord>;
  list_conversations: Rpc<
    PageRequest<ConversationFilter>,
    Page<ConversationRecord | DeletedConversation>
  >;
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

/** Which conversations of an instance to list. Undefined: any. */
export interface ConversationFilter {
  readonly instanceId: string;
  readonly phone?: string | undefined;
  readonly contactId?: string | undefined;
  readonly userId?: string | undefined;
  readonly status?: ConversationStatus | undefined;
  /** An operator's UUID or e-mail. */
  readonly assignedTo?: string | undefined;
  readonly departmentId?: string | undefined;
  readonly tag?: string | undefined;
  readonly awaitingReply?: boolean | undefined;
  /** Whether an ad or post brought the contact. */
  readonly referral?: boolean | undefined;
  /** `desc`: from the newest. Not beside `updatedSince`. */
  readonly order?: "desc" | undefined;
  /** Inclusive. Orders the page by the last change, and adds the tombstones of contacts. */
  readonly updatedSince?: string | undefined;
}

/** A conversation, with instants in the instance's zone; see `describe_conversation`. */
export interface ConversationRecord {
  readonly conversationId: string;
  readonly contactId: string;
  readonly contact: {
    readonly contactId: string;
    readonly phone: string | null;
    readonly name: string | null;
  };
  readonly status: ConversationStatus;
  readonly assignedTo: string | null;
  readonly departmentId: string | null;
  readonly portfolio: boolean;
  readonly awaitingReply: boolean;
  readonly lastMessageAt: string | null;
  readonly referral: ReceivedPart<"referral"> | null;
  readonly aiAgentPausedUntil: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The tombstone of a merged or erased contact, whose conversation is gone with it. */
export interface DeletedConversation {
  readonly contactId: string;
  readonly isDeleted: true;
  readonly mergedInto: string | null;
  readonly updatedAt: string;
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
