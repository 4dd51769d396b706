import type { HeldBy, MessageStatus } from "../../model/message_status.ts";
import type { ProviderKind } from "../../model/provider_kind.ts";
import type { StoredContent } from "../../model/message_content.ts";
import type { EmptyRequest, Rpc } from "./rpc.ts";

export interface QueueRpcs {
  claim_due_messages: Rpc<ClaimLimits, ClaimedMessages>;
  expire_claims: Rpc<{ readonly maxMessages: number }, { readonly expired: number }>;
  get_instance_health: Rpc<{ readonly instanceId: string }, InstanceHealth>;
  list_message_queue: Rpc<QueueQuery, QueuePage>;
  move_waiting_slots: Rpc<EmptyRequest, { readonly moved: number; readonly isComplete: boolean }>;
  purge_expired: Rpc<
    { readonly maxRows: number },
    { readonly purged: number; readonly isComplete: boolean }
  >;
  rescue_stalled_instances: Rpc<{ readonly maxInstances: number }, { readonly woken: number }>;
  retry_unconfirmed: Rpc<{ readonly maxMessages: number }, { readonly requeued: number }>;
}

/** How many messages a worker claims, and the length of each lease. */
export interface ClaimLimits {
  readonly maxMessages: number;
  /** A message's typing delay is added to it. */
  readonly leaseSeconds: number;
}

/** A due message that one worker has claimed until its lease ends. */
export interface ClaimedMessage extends StoredContent {
  readonly messageId: string;
  readonly claimToken: string;
  readonly instanceId: string;
  readonly provider: ProviderKind;
  readonly sealedProviderConfig: string;
  readonly isContactBlocked: boolean;
  /** Whether it is an agent's reply, and the agent was paused for the contact after writing it. */
  readonly isAgentPaused: boolean;
  readonly to: string;
  readonly delayTypingMs: number | null;
}

/** The messages that one claim returned, and when to claim again. */
export interface ClaimedMessages {
  readonly messages: readonly ClaimedMessage[];
  /** Milliseconds until the next unclaimed work is due; null where none is known. */
  readonly nextDueInMs: number | null;
  readonly isOutboxDue: boolean;
}

/** The end of a page of the queue: the slot and the position of its last message. */
export interface QueueCursor {
  readonly scheduledAt: string;
  readonly position: number;
}

export interface QueueQuery {
  readonly instanceId: string;
  readonly limit: number;
  readonly after: QueueCursor | null;
}

/** A waiting message with its position in the queue, from 1. */
export interface WaitingMessage {
  readonly messageId: string;
  readonly phone: string;
  readonly messageType: string;
  readonly scheduledFor: string;
  readonly heldBy: HeldBy | null;
  readonly position: number;
}

export interface QueuePage {
  readonly items: readonly WaitingMessage[];
  readonly total: number;
  readonly next: QueueCursor | null;
}

/** Whether an instance sends its messages, with instants in its time zone. */
export interface InstanceHealth {
  readonly status: "ok" | "late" | "held";
  readonly oldestDueAt: string | null;
  readonly oldestDueSeconds: number | null;
  readonly nextDueAt: string | null;
  readonly queueDepth: number;
  readonly inFlight: number;
  readonly unconfirmed: number;
  readonly isWindowOpen: boolean;
  readonly heldUntil: string | null;
  readonly lastSuccessAt: string | null;
  readonly lastFailure: {
    readonly at: string;
    readonly status: MessageStatus;
    readonly code: string | null;
    readonly message: string | null;
  } | null;
}
