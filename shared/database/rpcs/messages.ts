import type { RefusalScope } from "../../model/refusal_meaning.ts";
import type { StoredAsk } from "../../model/ask.ts";
import type { CallerFields } from "../../model/caller_fields.ts";
import type { AskedPayment } from "../../model/payment_status.ts";
import type { Purpose } from "../../model/purpose.ts";
import type { StoredContent } from "../../model/message_content.ts";
import type { SealedInstance } from "../../model/instance.ts";
import type { ShownHold } from "../../model/hold.ts";
import type { HeldBy, MessageStatus, SendingMode } from "../../model/message_status.ts";
import type { PassedRung, SentAs, ShownLadder } from "../../model/outside_window.ts";
import type { MessageError, RecordedError } from "../../model/message_error.ts";
import type { MessageRecord } from "../../model/message_record.ts";
import type { AssignmentOutcome } from "../../model/response_fields.ts";
import type { Timing } from "../../model/timing.ts";
import type { ContactTarget } from "./contacts.ts";
import type { Idempotency, Once, RecordedResult, WrittenResponse } from "./idempotency.ts";
import type { Page, PageRequest } from "./page.ts";
import type { SendableFile } from "./media_uploads.ts";
import type { ClaimedMessage } from "./queue.ts";
import type { Grouped, Rpc } from "./rpc.ts";
import type { RateLimit } from "./tenancy.ts";

export interface MessagesRpcs {
  accept_message: Rpc<AcceptMessageRequest, AcceptResult>;
  accept_messages: Grouped<MessagesRpcs["accept_message"]>;
  begin_message_change: Rpc<BeginChangeRequest, BegunChange>;
  cancel_message: Rpc<MessageTarget, MessageRecord>;
  cancel_messages_by_key: Rpc<CancelKeyTarget, { readonly canceled: number }>;
  get_message: Rpc<MessageTarget, MessageRecord>;
  list_messages: Rpc<PageRequest<MessageFilter>, Page<MessageRecord>>;
  list_unread_messages: Rpc<UnreadTarget, UnreadMessages>;
  move_message: Rpc<MessageTarget & Pick<Timing, "sendAt" | "expiresAt">, MessageRecord>;
  note_messages_read: Rpc<
    { readonly instanceId: string; readonly messageIds: readonly string[] },
    { readonly read: number }
  >;
  retry_message: Rpc<Once<MessageTarget>, RecordedResult<MessageRecord>>;
  settle_message_change: Rpc<SettleChangeRequest, { readonly message: MessageRecord | null }>;
  settle_message_calls: Grouped<MessagesRpcs["settle_messages"]>;
  settle_messages: Rpc<SettleMessagesRequest, { readonly settled: readonly string[] }>;
  take_rung: Rpc<TakeRungRequest, RungTaken>;
}

/** Which messages of an instance to list. Undefined: any. */
export interface MessageFilter {
  readonly instanceId: string;
  readonly phone?: string | undefined;
  readonly contactId?: string | undefined;
  readonly userId?: string | undefined;
  readonly cardId?: string | undefined;
  readonly batchId?: string | undefined;
  readonly status?: MessageRecord["status"] | undefined;
  readonly direction?: MessageRecord["direction"] | undefined;
  readonly order?: "desc" | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** An outbound message of an instance. */
export interface MessageTarget {
  readonly instanceId: string;
  readonly messageId: string;
}

/** What to change of a sent message: see `begin_message_change`. */
export type BeginChangeRequest =
  & MessageTarget
  & { readonly leaseSeconds: number }
  & ({ readonly kind: "edit"; readonly message: string } | { readonly kind: "delete" });

/** What to ask the provider for; where there is nothing to ask, the message's record. */
export type BegunChange =
  | { readonly change: null; readonly message: MessageRecord }
  | { readonly change: MessageToChange; readonly message: null };

/** A sent message with its new words, and the address that it was sent to. */
export interface MessageToChange extends StoredContent {
  readonly token: string;
  readonly messageId: string;
  readonly to: string;
  readonly providerMessageId: string;
  readonly file: SendableFile | null;
}

/** What came of asking. */
export interface SettleChangeRequest extends MessageTarget {
  readonly token: string;
  readonly outcome: "done" | "refused" | "unknown";
  readonly error: MessageError | null;
}

/** The message, or the newest of a conversation, up to which a person's messages are read. */
export type UnreadTarget =
  | (MessageTarget & { readonly direction?: "inbound" })
  | { readonly instanceId: string; readonly conversationId: string };

/** A person's messages, in their order: the newest, and unread ones before it. */
export interface UnreadMessages {
  readonly instance: SealedInstance;
  /** The chat's address. */
  readonly to: string;
  readonly messages: readonly {
    readonly messageId: string;
    readonly providerMessageId: string;
    readonly isRead: boolean;
  }[];
}

/** The messages of an instance that wait under a `cancelKey`. */
export interface CancelKeyTarget {
  readonly instanceId: string;
  readonly cancelKey: string;
}

/** Everything that one sending call records in one transaction. */
export type AcceptMessageRequest = Once<
  ContactTarget & {
    readonly assignment: AssignmentRequest | null;
    readonly agent: AgentRequest | null;
    readonly message: NewMessage | null;
    /** Null where there is no message. */
    readonly delivery: Delivery | null;
    /** Lets the recording transaction authenticate the call. Null where the caller has done so. */
    readonly authentication?: AuthenticationRequest | null;
  }
>;

/** The client token that a call is made with, and the state of the instance that it is prepared with. */
export interface AuthenticationRequest {
  readonly tokenHash: string;
  readonly functionName: string;
  /** See `Authentication`. */
  readonly instanceVersion: string;
}

/** A message's content, and what is stored beside it. */
export type NewMessage = StoredContent & CallerFields & {
  /** Undefined for `service`. */
  readonly purpose?: Purpose | undefined;
  readonly sentBy?: string | undefined;
  readonly delayTypingMs?: number | undefined;
  /** The file of ours that it sends. */
  readonly mediaId?: string | undefined;
  /** Goes to a phone alone; undefined for any address that the channel has. */
  readonly needsPhone?: true | undefined;
  /** The message of the same contact that it answers. */
  readonly replyTo?: string | undefined;
  /** What the answer says of how it goes out; undefined where there is nothing to say. */
  readonly fit?: MessageFit | undefined;
  /** False where the call keeps the agent from pausing; undefined for all others. */
  readonly pausesAgent?: false | undefined;
  /** What happens outside the conversation window; undefined for a refusal. */
  readonly ladder?: StoredLadder | undefined;
  /** Whether it goes as text where the channel refuses its own form; undefined for false. */
  readonly fallsBack?: true | undefined;
  /** The question that it asks; undefined for none. */
  readonly ask?: StoredAsk | undefined;
};

/** A rung as it is stored: with its template filled for the contact. */
export type StoredRung =
  | { readonly rung: "directSend"; readonly reason?: string | undefined }
  | {
    readonly rung: "template" | "invite";
    readonly templateId: string;
    readonly name: string;
    /** Undefined where nothing was filled: see `reason`. */
    readonly message?: string | null | undefined;
    readonly content?: StoredContent["content"] | undefined;
    readonly purpose?: string | undefined;
    /** The file of ours that its header is; undefined for none. */
    readonly mediaId?: string | undefined;
    /** Why it cannot be taken, whatever happens later. */
    readonly reason?: string | undefined;
  };

export interface StoredLadder {
  readonly rungs: readonly StoredRung[];
  /** What records show: nothing before it is decided. */
  readonly shown: Readonly<Record<string, never>>;
}

/** How the channel carries a message: only where it says something. */
export interface MessageFit {
  readonly rendering?: "native" | "text" | undefined;
  readonly reduced?: readonly string[] | undefined;
  /** The payment that it asks for. */
  readonly payment?: AskedPayment | undefined;
  /** The question that it asks. */
  readonly questionId?: string | undefined;
  /** Where the question's end is told, sealed: see `revealNotifySecret`. */
  readonly sealedNotify?: string | undefined;
}

/** The operator that a conversation is assigned to (specification 4.4, `assignTo`). */
export interface AssignmentRequest {
  /** Operator e-mail or UUID. */
  readonly assignTo: string;
  readonly portfolio?: boolean | undefined;
  readonly departmentId?: string | undefined;
}

/** The agent that opens a conversation or replies in it: by id, otherwise the only active one. */
export interface AgentRequest {
  readonly agentId?: string | undefined;
  /** Merged into the session's `collected_data`. */
  readonly collectedData?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Agent replies only: how many inbound messages were answered before, and how many this one
   * answers.
   */
  readonly answeredBefore?: number | undefined;
  readonly answersThrough?: number | undefined;
}

/** When a message leaves: at once, after a delay, or at its slot in the paced queue. */
export interface Delivery {
  readonly queued: boolean;
  /** Null where the message has none of its own: the pace of the instance, or 30. */
  readonly intervalSeconds: number | null;
  readonly delaySeconds: number;
  /** Leaves the message to the dispatcher, due at once, because retries matter more than speed. */
  readonly isDeferred?: boolean;
  /** How long an immediate send may hold its claim. */
  readonly leaseSeconds: number;
  /** Undefined where the call gives none, which lets the fast path record it. */
  readonly timing?: Timing | undefined;
}

/** The result of the recording transaction. The response is a pure function of it. */
export interface AcceptedOutcome extends MessageFit, ShownLadder, Partial<ShownHold> {
  readonly mode: SendingMode | "assign_only";
  readonly contactId: string;
  readonly conversationId: string;
  /** The agent that wrote the message; null if none did. */
  readonly agentId: string | null;
  readonly assignment: AssignmentOutcome | null;
  readonly messageId: string | null;
  readonly status: MessageStatus | null;
  readonly scheduledFor: string | null;
  readonly heldBy: HeldBy | null;
  readonly aiAgentPausedUntil: string | null;
  /** The place of the ladder's rung that the message takes; absent for the message itself. */
  readonly rung?: number | null;
}

/** The claim of an immediate send: its token for settling, and the address to send to. */
export interface ImmediateClaim {
  readonly claimToken: string | null;
  readonly to: string | null;
  /** The channel's id of the message that this one answers; undefined where it answers none. */
  readonly quotedProviderMessageId?: string;
  /** Whether that message is one of ours; undefined without one. */
  readonly quotedIsOurs?: boolean;
}

/** The current state of a message whose first response is outdated. */
export interface StandingMessage extends
  Pick<
    MessageRecord,
    "providerMessageId" | "scheduledFor" | "heldBy" | keyof ShownHold | "lastError"
  >,
  ShownLadder {
  readonly status: MessageStatus;
  /** Whether it failed with an error that the provider calls temporary. */
  readonly isRetryable: boolean;
}

/** The outcome of an earlier call with the same `Idempotency-Key`; see `describe_kept_outcome`. */
export interface Replay {
  readonly outcome: AcceptedOutcome;
  /** The first response, if it is still valid and includes the provider's result. */
  readonly response: WrittenResponse | null;
  /** Null if the first response is still valid. */
  readonly message: StandingMessage | null;
  /** Whether a call with this key sends the message again. */
  readonly isAttemptDue: boolean;
}

/** Another attempt of an earlier call's message: the message, claimed. */
export interface Attempt {
  readonly outcome: AcceptedOutcome;
  readonly message: ClaimedMessage;
}

/** The outcome of this call, or of an earlier one with the same `Idempotency-Key`. */
export type AcceptResult =
  & (
    | (AcceptedOutcome & ImmediateClaim)
    | { readonly attempted: Attempt }
    | { readonly replayed: Replay }
  )
  // Undefined where the recording transaction did not authenticate the call.
  & { readonly rateLimit?: RateLimit | null };

/** How the provider call of a claimed message ended. */
export type SettledOutcome =
  & {
    readonly messageId: string;
    readonly claimToken: string;
    /** Milliseconds from the claim to the begin of the provider's call. */
    readonly calledAfterMs?: number | undefined;
  }
  & (
    | {
      readonly outcome: "accepted";
      readonly providerMessageId: string;
      readonly waId?: string | undefined;
      /** See `Receipt`. */
      readonly channelStatus?: string | undefined;
    }
    | {
      readonly outcome: "rejected";
      readonly error: RecordedError;
      readonly retryable: boolean;
      readonly retryAfterMs?: number | undefined;
      readonly scope: RefusalScope;
      readonly isOutage?: boolean | undefined;
      /** The provider was not called. */
      readonly isUnsent?: boolean | undefined;
      /** The sealed credentials that the call was made with; undefined where they are unknown. */
      readonly sealedProviderConfig?: string | undefined;
    }
    | { readonly outcome: "unknown"; readonly error: MessageError }
  );

export interface TakeRungRequest extends MessageTarget {
  readonly claimToken: string;
  readonly leaseSeconds: number;
  /** What the channel said of the rung before; null before the first call. */
  readonly refusal: RecordedError | null;
}

/** What becomes of a claimed message with a ladder. */
export type RungTaken =
  | {
    readonly outcome: "send";
    readonly sentAs: Exclude<SentAs, "invitation">;
    readonly shown: ShownLadder;
    /** What goes in the message's place; null for the message itself. */
    readonly template: StoredContent | null;
    /** The file of ours that the template's header is; null for none. */
    readonly file: SendableFile | null;
  }
  | { readonly outcome: "waits"; readonly shown: ShownLadder }
  | { readonly outcome: "refused"; readonly rungs: readonly PassedRung[] }
  | { readonly outcome: "stands" }
  | { readonly outcome: "lost" };

export interface SettleMessagesRequest {
  /** The instance that the call counts for in `TenantCalls`. The claims name the messages. */
  readonly instanceId?: string;
  readonly results: readonly SettledOutcome[];
  /** Immediate sends only: the idempotency key and the response stored under it. */
  readonly idempotency: Idempotency | null;
  readonly response: WrittenResponse | null;
}
