import type {
  BatchRecord,
  BatchWords,
  DryRunReport,
  EntryErrors,
  RecipientRecord,
  StoredRecipients,
} from "../../model/batch_record.ts";
import type {
  BatchAction,
  BatchStatus,
  BatchValidation,
  RecipientStatus,
} from "../../model/batch_states.ts";
import type { StoredContent } from "../../model/message_content.ts";
import type { MessageRequest } from "../../model/message_request.ts";
import type { PreparedAsk, StoredAsk } from "../../model/ask.ts";
import type { CallerFields } from "../../model/caller_fields.ts";
import type { OutsideWindow } from "../../model/outside_window.ts";
import type { Purpose } from "../../model/purpose.ts";
import type { NamedTemplate, Recipient } from "../../model/request_fields.ts";
import type { Timing } from "../../model/timing.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
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
    Omit<DryRunReport, "wouldBeRefused">
  >;
  dry_run_new_batch: Rpc<
    NewBatch & NewRecipients,
    Omit<DryRunReport, "samples" | "wouldBeRefused">
  >;
  feed_batches: Rpc<
    { readonly maxInstances: number; readonly instanceId?: string },
    { readonly fed: number }
  >;
  get_batch: Rpc<BatchTarget, BatchRecord & BatchWords>;
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

export interface BatchTarget {
  readonly instanceId: string;
  readonly batchId: string;
}

/** What cancels the messages of a batch that still wait. */
export interface BatchFollowUp {
  readonly cancelOn?: Timing["cancelOn"];
  /** With variables, which a recipient's draft has filled. */
  readonly paymentReference?: string | undefined;
}

/** What the recipients of a batch are filled from, as it was when the batch was created. */
export type BatchSource = BatchMessage & BatchFollowUp & {
  /** What each of its messages asks; absent for nothing. */
  readonly ask?: PreparedAsk | undefined;
};

type BatchMessage =
  | {
    readonly template: StoredTemplate;
    readonly message?: undefined;
    /** There where a button of the template asks for a payment. */
    readonly asksForPayment?: true | undefined;
  }
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
  /** Null for an entry without a recipient. */
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
  /** By the entries; null where no contact is known. */
  readonly contacts: readonly (EntryContact | null)[];
}

/** The message of one recipient, filled. */
export interface RecipientDraft extends StoredContent, CallerFields {
  readonly ladder?: StoredLadder | undefined;
  readonly paymentReference?: string | undefined;
  readonly fit?: MessageFit | undefined;
  readonly ask?: StoredAsk | undefined;
  /** As of a new message. */
  readonly fallsBack?: true | undefined;
}

/** An entry to store: with its message, or with the reason why it gets none. */
export interface BatchEntry extends Recipient {
  /** Why it gets no message. */
  readonly reason?: string | undefined;
  /** Of an entry with a reason; the draft has that of the others. */
  readonly cardId?: string | undefined;
  readonly draft?: RecipientDraft | undefined;
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
