import type { ShownHold } from "../../model/hold.ts";
import type { HeldBy } from "../../model/message_status.ts";
import type { Issue } from "../../model/errors.ts";
import type { StoredContent } from "../../model/message_content.ts";
import type { MessageRequest } from "../../model/message_request.ts";
import type { Metadata } from "../../model/metadata.ts";
import type { OutsideWindow, SentAs } from "../../model/outside_window.ts";
import type { Purpose } from "../../model/purpose.ts";
import type { NamedTemplate, Recipient } from "../../model/request_fields.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { EstimatedCost } from "../../model/pricing.ts";
import type { MessageError } from "./message_error.ts";
import type { MessageFit, StoredLadder } from "./messages.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Rpc } from "./rpc.ts";
import type { ContactFacts, StoredTemplate } from "./templates.ts";

export interface BatchesRpcs {
  prepare_batch_recipients: Rpc<PrepareRecipientsRequest, PreparedRecipients>;
  create_batch: Rpc<Once<NewBatch & NewRecipients>, RecordedResult<StoredRecipients>>;
  extend_batch: Rpc<Once<BatchTarget & NewRecipients>, RecordedResult<StoredRecipients>>;
  change_batch: Rpc<
    Once<BatchTarget & { readonly action: BatchAction }>,
    RecordedResult<BatchRecord>
  >;
  dry_run_batch: Rpc<
    BatchTarget & { readonly fromIndex: number; readonly limit: number },
    DryRunReport
  >;
  dry_run_new_batch: Rpc<NewBatch & NewRecipients, DryRunReport>;
  feed_batches: Rpc<
    { readonly maxInstances: number; readonly instanceId?: string },
    { readonly fed: number }
  >;
  get_batch: Rpc<BatchTarget, BatchRecord>;
  list_batches: Rpc<
    PageRequest<{
      readonly instanceId: string;
      readonly order?: "desc" | undefined;
      readonly status?: BatchStatus | undefined;
    }>,
    Page<BatchRecord>
  >;
  list_batch_recipients: Rpc<RecipientQuery, RecipientPage>;
}

export type BatchStatus = "draft" | "running" | "paused" | "canceled" | "finished";

/** Why a batch paused by itself. */
export type PauseReason = "template_refused" | "account_restricted" | "failures_in_row";

/** What a batch does not show by itself: its template will cost by another category. */
export type BatchWarning = "category_changes";

export type BatchAction = "start" | "pause" | "resume" | "cancel" | "retry-failed";

/** What a start would do; see `walk_batches`. */
export interface DryRunReport {
  readonly summary: {
    readonly send: number;
    /** Recipients that get no message, by reason. */
    readonly skip: Readonly<Record<string, number>>;
    readonly firstScheduledFor: string | null;
    readonly lastScheduledFor: string | null;
    /** The instance's own days on which something is sent. */
    readonly days: number;
    /** Of `send`: whose window is open at the slot, and for whom the channel bills nothing. */
    readonly windowOpen: number;
    readonly freeEntryPoint: number;
    readonly sentAs: Readonly<Record<SentAs, number>>;
  };
  readonly items: readonly {
    readonly index: number;
    readonly outcome: "send" | "skip";
    readonly reason: string | null;
    readonly scheduledFor: string | null;
  }[];
  readonly nextIndex: number | null;
  readonly warnings: readonly BatchWarning[];
  readonly estimatedCost: EstimatedCost | null;
  readonly estimatedCostAfterChange: EstimatedCost | null;
}

export type BatchValidation = "strict" | "permissive";

export interface BatchTarget {
  readonly instanceId: string;
  readonly batchId: string;
}

/** What the recipients of a batch are filled from, as it was when the batch was created. */
export type BatchSource =
  | { readonly template: StoredTemplate; readonly message?: undefined }
  | {
    readonly message: MessageRequest;
    readonly template?: undefined;
    /** What happens outside the conversation window, with its templates as they were then. */
    readonly ladder?: {
      readonly outsideWindow: OutsideWindow;
      readonly templates: readonly (StoredTemplate | null)[];
    } | undefined;
  };

export interface PrepareRecipientsRequest extends Partial<NamedTemplate> {
  readonly instanceId: string;
  readonly batchId: string | null;
  /** Null for an entry that names nobody. */
  readonly entries: readonly (Recipient | null)[];
}

/** A contact that an entry names. */
export interface EntryContact extends ContactFacts {
  readonly contactId: string;
}

export interface PreparedRecipients {
  readonly batch: {
    readonly source: BatchSource;
    readonly purpose: Purpose | null;
    readonly validation: BatchValidation;
    readonly recipientCount: number;
  } | null;
  readonly template: StoredTemplate | null;
  /** By the entries; null for whom no contact is known. */
  readonly contacts: readonly (EntryContact | null)[];
}

/** The message of one recipient, filled. */
export interface RecipientDraft extends StoredContent {
  readonly ladder?: StoredLadder | undefined;
  readonly fit?: MessageFit | undefined;
  readonly cardId?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/** An entry to store: with its message, or with the reason why it gets none. */
export interface BatchEntry extends Recipient {
  /** Why it gets no message. */
  readonly reason?: string | undefined;
  /** Of an entry with a reason; the draft has that of the others. */
  readonly cardId?: string | undefined;
  readonly draft?: RecipientDraft | undefined;
}

/** The issues of an entry, by its place in the call. */
export interface EntryErrors {
  readonly index: number;
  readonly issues: readonly Issue[];
}

export interface NewRecipients {
  readonly entries: readonly BatchEntry[];
  readonly errors: readonly EntryErrors[];
}

export interface NewBatch {
  readonly instanceId: string;
  readonly name: string | null;
  readonly source: BatchSource;
  /** Null for `service`. */
  readonly purpose: Purpose | null;
  readonly validation: BatchValidation;
  /** Null where the batch has none of its own. */
  readonly intervalSeconds: number | null;
  readonly startAt: string | null;
  readonly expiresAt: string | null;
}

/** What became of the entries of a call; indexes count through the whole list. */
export interface StoredRecipients {
  readonly batchId: string;
  readonly status: BatchStatus;
  readonly added: number;
  readonly duplicates: readonly { readonly index: number; readonly of: number }[];
  readonly errors: readonly EntryErrors[];
}

/** The statuses of recipients. */
export type RecipientStatus =
  | ("pending" | "queued" | "sent" | "delivered" | "read")
  | ("failed" | "unconfirmed" | "canceled" | "expired" | "skipped");

export interface BatchRecord {
  readonly batchId: string;
  readonly name: string | null;
  readonly status: BatchStatus;
  readonly templateId: string | null;
  readonly purpose: Purpose;
  readonly validation: BatchValidation;
  /** Between two messages, as the batch leaves now: a fraction under a pace. */
  readonly intervalSeconds: number;
  readonly startAt: string | null;
  readonly expiresAt: string | null;
  readonly recipientCount: number;
  readonly counts: Readonly<Record<RecipientStatus | "awaitingReply", number>>;
  readonly firstScheduledFor: string | null;
  readonly lastScheduledFor: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Null where it has not paused, or a call paused it. */
  readonly pauseReason: PauseReason | null;
  readonly pauseError: MessageError | null;
  readonly warnings: readonly BatchWarning[];
  /** What a draft would cost, and what any other has cost so far. */
  readonly estimatedCost: EstimatedCost | null;
  /** What is still to be sent would cost by the announced category. */
  readonly estimatedCostAfterChange: EstimatedCost | null;
}

export interface RecipientPageEnd {
  readonly index: number;
}

export interface RecipientQuery extends BatchTarget {
  readonly status: RecipientStatus | null;
  readonly limit: number;
  readonly after: RecipientPageEnd | null;
}

export interface RecipientPage {
  readonly items: readonly RecipientRecord[];
  readonly next: RecipientPageEnd | null;
}

export interface RecipientRecord extends ShownHold {
  readonly index: number;
  readonly contactId: string | null;
  readonly phone: string | null;
  readonly status: RecipientStatus;
  readonly reason: string | null;
  readonly messageId: string | null;
  readonly cardId: string | null;
  readonly scheduledFor: string | null;
  readonly heldBy: HeldBy | null;
  readonly sentAt: string | null;
  readonly deliveredAt: string | null;
  readonly readAt: string | null;
  readonly lastError: MessageError | null;
}
