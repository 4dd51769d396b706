import type { ConversationHolder } from "../../model/control.ts";
import type { HistoryStatus } from "../../model/message_status.ts";
import type { MediaStatus } from "../../model/media_status.ts";
import type { MessageAuthor } from "../../model/message_author.ts";
import type { StoredContent } from "../../model/message_content.ts";
import type { MessageRecord } from "../../model/message_record.ts";
import type { ShownCallerFields } from "../../model/caller_fields.ts";
import type { Cost, Pricing } from "../../model/pricing.ts";
import type { GroupReceipt, MessageContact } from "../../model/response_fields.ts";
import type { Purpose } from "../../model/purpose.ts";
import type { ContactTarget } from "./contacts.ts";
import type { MessageError } from "../../model/message_error.ts";
import type { Rpc } from "./rpc.ts";

export interface HistoryRpcs {
  read_history: Rpc<HistoryQuery, History>;
}

/** The requested part of a contact's history. */
export interface HistoryQuery extends ContactTarget {
  /** Unix seconds. */
  readonly startsAt: number;
  /** Unix seconds; not included. */
  readonly endsAt: number;
  readonly limit: number;
  /** True for sent messages only, false for received ones only. */
  readonly fromMe?: boolean | undefined;
}

/** One message that was sent or received. */
export interface HistoryMessage extends StoredContent, ShownCallerFields {
  readonly messageId: string;
  readonly direction: MessageRecord["direction"];
  readonly sentBy: string | null;
  readonly operatorName: string | null;
  readonly agentName: string | null;
  readonly status: HistoryStatus;
  readonly providerMessageId: string | null;
  /** Unix milliseconds, as in the two fields below. For a received message, the time of receipt. */
  readonly sentAtMs: number;
  readonly deliveredAtMs: number | null;
  readonly readAtMs: number | null;
  readonly isGroup: boolean;
  readonly chatName: string | null;
  /** The message's file, where this service keeps it. */
  readonly mediaId: string | null;
  readonly mediaStatus: MediaStatus | null;
  /** What is said in a voice message. */
  readonly transcript: string | null;
  readonly mediaFilename: string | null;
  readonly mediaMimeType: string | null;
  readonly mediaSize: number | null;
  readonly batchId: string | null;
  readonly conversationId: string;
  readonly quotedMessageId: string | null;
  readonly quotedProviderMessageId: string | null;
  readonly author: MessageAuthor | null;
  readonly isTypedOnPhone: boolean;
  readonly handledBy: ConversationHolder;
  readonly channelStatus: string | null;
  /** How the official channel bills it; null until that is known. */
  readonly pricing: Pricing | null;
  /** What its delivery cost; null where no rate was known. */
  readonly estimatedCost: Cost | null;
  /** Who of a group has got or read it, where somebody is known. */
  readonly groupReceipts?: readonly GroupReceipt[] | undefined;
  /** The question that it asks. */
  readonly question?: MessageRecord["question"];
  /** Id of the question that it answers. */
  readonly answers?: string | undefined;
  readonly attempts: number;
  readonly lastError: MessageError | null;
  /** Unix milliseconds, as in the fields below. */
  readonly createdAtMs: number;
  readonly scheduledForMs: number | null;
  readonly editedAtMs: number | null;
  readonly deletedAtMs: number | null;
  readonly purpose: Purpose;
  /** Of a reaction: the beginning of what it is to; null for what is not stored. */
  readonly reactedTo?: string | null | undefined;
}

/** The contact of a history: the sender of its received messages. */
export interface HistoryContact {
  readonly name: string | null;
  /** As first given; null for a contact that hides it. */
  readonly phone: string | null;
  /** The phone to show now. */
  readonly displayPhone: string | null;
  /** As the record of a message shows the contact. */
  readonly shown: MessageContact;
}

/** The messages of one phone in a period. */
export interface History {
  /** Null for an unknown phone. */
  readonly contact: HistoryContact | null;
  /** Oldest first. */
  readonly messages: readonly HistoryMessage[];
  /** Whether older messages of the period were left out. */
  readonly hasMore: boolean;
}
