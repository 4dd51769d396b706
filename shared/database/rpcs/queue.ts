import type { InstanceHealth } from "../../model/health_record.ts";
import type {
  DayOfProtection,
  HoldOutcome,
  MayHaveLeftSummary,
  QueueHold,
  RestoredMessage,
  SettledRestored,
  SettlingAction,
  WaitingMessage,
} from "../../model/queue_record.ts";
import type { ProviderKind } from "../../model/provider_kind.ts";
import type { ReadReceipts } from "../../model/read_receipts.ts";
import type { StoredContent } from "../../model/message_content.ts";
import type { SendableFile } from "./media_uploads.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { Page, PageRequest } from "./page.ts";
import type { EmptyRequest, Rpc } from "./rpc.ts";
import type { Refusal } from "./tenancy.ts";

export interface QueueRpcs {
  claim_due_messages: Rpc<ClaimLimits, ClaimedMessages>;
  claim_message_group: Rpc<GroupLimits, ClaimedGroup>;
  expire_claims: Rpc<{ readonly maxMessages: number }, { readonly expired: number }>;
  expire_messages: Rpc<{ readonly maxMessages: number }, { readonly expired: number }>;
  get_instance_health: Rpc<{ readonly instanceId: string }, InstanceHealth>;
  hold_queue: Rpc<Once<HoldRequest>, RecordedResult<HoldOutcome> | Refusal>;
  hold_suspects: Rpc<
    { readonly maxInstances: number },
    { readonly held: number; readonly released: number }
  >;
  list_may_have_left: Rpc<PageRequest<RestoredRange>, MayHaveLeftPage>;
  list_message_queue: Rpc<QueueQuery, QueuePage>;
  list_queue_holds: Rpc<PageRequest<unknown>, Page<QueueHold>>;
  move_waiting_slots: Rpc<EmptyRequest, { readonly moved: number; readonly isComplete: boolean }>;
  purge_expired: Rpc<
    { readonly maxRows: number },
    { readonly purged: number; readonly isComplete: boolean }
  >;
  release_queue: Rpc<Once<HeldInstances>, RecordedResult<{ readonly instances: number }>>;
  rescue_stalled_instances: Rpc<{ readonly maxInstances: number }, { readonly woken: number }>;
  retry_unconfirmed: Rpc<{ readonly maxMessages: number }, { readonly requeued: number }>;
  settle_may_have_left: Rpc<Once<SettleRestoredRequest>, RecordedResult<SettledRestored>>;
}

/** How many messages a worker claims, and the length of each lease. */
export interface ClaimLimits {
  readonly maxMessages: number;
  /** A message's typing delay is added to it. */
  readonly leaseSeconds: number;
  /** Instances whose unpaced messages wait, see `CallsUnderWay`; undefined for none. */
  readonly crowdingInstances?: readonly string[] | undefined;
}

/** A due message that one worker has claimed until its lease ends. */
export interface ClaimedMessage extends StoredContent {
  readonly messageId: string;
  readonly claimToken: string;
  readonly instanceId: string;
  readonly provider: ProviderKind;
  readonly sealedProviderConfig: string;
  /** `off` for the message of a batch. */
  readonly readReceipts: ReadReceipts;
  readonly isContactBlocked: boolean;
  /** Whether it is marketing, and the contact has denied marketing. */
  readonly isOptedOut: boolean;
  /** Whether it is an agent's reply, and the agent was paused for the contact after writing it. */
  readonly isAgentPaused: boolean;
  readonly to: string;
  /** The channel's id of the message that it answers; null for none. */
  readonly quotedProviderMessageId: string | null;
  /** Whether the message that it answers or reacts to is one of ours; null where none is stored. */
  readonly quotedIsOurs: boolean | null;
  readonly delayTypingMs: number | null;
  /** Whether how it leaves is still to be decided: see `take_rung`. */
  readonly hasLadder: boolean;
  /** The file of ours that it names; null for none. */
  readonly file: SendableFile | null;
}

/** What there is to do for webhooks; `none` where no endpoint is active. */
export type WebhookWork = "due" | "idle" | "none";

/** The messages that one claim returned, and when to claim again. */
export interface ClaimedMessages {
  readonly messages: readonly ClaimedMessage[];
  /** Milliseconds until the next unclaimed work is due; null where none is known. */
  readonly nextDueInMs: number | null;
  readonly isOutboxDue: boolean;
  /** Whether `end_turns` has work. */
  readonly isTurnDue: boolean;
  readonly webhooks: WebhookWork;
  /** Instances with a pace that are due, see `claim_message_group`; null or absent for none. */
  readonly groups?: readonly string[] | null;
}

/** What one claim takes of an instance with a pace. */
export interface GroupLimits {
  readonly instanceId: string;
  readonly maxMessages: number;
  /** From the departure of each message. Its typing delay is added to it. */
  readonly leaseSeconds: number;
}

/** Messages of one instance, each with its departure. */
export interface ClaimedGroup {
  readonly messages: readonly ClaimedMessage[];
  /** By message: how long after the claim its call is to begin. */
  readonly departuresInMs: Readonly<Record<string, number>>;
  /** Null where the instance was locked, or has no pace any more. */
  readonly messagesPerSecond: number | null;
  readonly feedsBatches: boolean;
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

export interface QueuePage {
  readonly items: readonly WaitingMessage[];
  readonly total: number;
  readonly next: QueueCursor | null;
  readonly protection: DayOfProtection | null;
}

/** The instance whose queue is meant; absent: every instance. */
export interface HeldInstances {
  readonly instanceId?: string | undefined;
}

/** An operator's hold. Without `until` it lasts until it is released. */
export interface HoldRequest extends HeldInstances {
  readonly until?: string | undefined;
  readonly reason?: string | undefined;
}

/** What a restored database cannot know: which messages left between the dump and `until`. */
export interface RestoredRange extends HeldInstances {
  /** The instant of the dump. */
  readonly since: string;
  /** When the dumped database stopped sending. Absent: now. */
  readonly until?: string | undefined;
}

export type MayHaveLeftPage = Page<RestoredMessage> & MayHaveLeftSummary;

export interface SettleRestoredRequest extends RestoredRange {
  readonly action: SettlingAction;
  readonly maxMessages: number;
}
