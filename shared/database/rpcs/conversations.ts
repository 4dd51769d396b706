import type { ControlReason, ConversationHolder } from "../../model/control.ts";
import type {
  ControlledConversation,
  ConversationRecord,
  ConversationState,
  DeletedConversation,
  NoteRecord,
  RecordedNote,
  TransferRecord,
  UnassignedConversation,
} from "../../model/conversation_record.ts";
import type { ConversationStatus } from "../../model/conversation_status.ts";
import type { ContactTarget } from "./contacts.ts";
import type { Idempotency, Once, RecordedResult } from "./idempotency.ts";
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
  find_control_target: Rpc<
    ContactTarget & { readonly idempotency: Idempotency | null },
    | { readonly contactId: string; readonly to: string | null }
    | Extract<RecordedResult<ControlledConversation>, { readonly replayed: unknown }>
  >;
  record_control: Rpc<RecordControlRequest, RecordedResult<ControlledConversation>>;
  tell_idle_conversations: Rpc<
    { readonly maxConversations: number },
    { readonly told: number; readonly isComplete: boolean }
  >;
  end_turns: Rpc<
    { readonly maxTurns: number },
    { readonly ended: number; readonly isComplete: boolean }
  >;
  note_conversation: Rpc<
    Once<ContactTarget & { readonly note: string }>,
    RecordedResult<RecordedNote>
  >;
}

export type SetStatusRequest = Once<
  ContactTarget & {
    readonly status: ConversationStatus;
    readonly internalNote?: string | undefined;
  }
>;

export type RecordControlRequest = Once<{
  readonly instanceId: string;
  readonly contactId: string;
  readonly handledBy: ConversationHolder;
  readonly reason: ControlReason;
}>;

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
