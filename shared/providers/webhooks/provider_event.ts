/**
 * The common form of all providers' events. A reader converts one payload into events, skips
 * unknown parts, and never throws: one malformed part must not lose the rest of a payload.
 */

import type { ToldAllowance } from "../../model/allowance.ts";
import type { ControlReason, ConversationHolder } from "../../model/control.ts";
import type { NumberFact } from "../../model/number_facts.ts";
import type { ReportedStatus } from "../../model/message_status.ts";
import type { RefusalMeaning } from "../../model/refusal_meaning.ts";
import type { MessageAuthor } from "../../model/message_author.ts";
import type { ToldPricing } from "../../model/pricing.ts";
import type { ReceivedParts } from "../../model/received_parts.ts";
import type { ReceivedFile } from "./received_file.ts";

/**
 * A message written by a person: the contact, or an employee on the company's own phone (an echo), with
 * the parts that the provider tells.
 */
export interface MessageEvent extends ReceivedParts {
  readonly kind: "message";
  /**
   * `inbound` is from the contact. `echo` was typed on the company's phone, not sent through any
   * API.
   */
  readonly origin: "inbound" | "echo";
  /** Of an echo: it may be a message that we sent through the provider's API. */
  readonly mayBeOurs?: boolean | undefined;
  /** Of an echo: another program sent it through the same channel. */
  readonly isOfOtherApp?: true | undefined;
  /** Another responder of the number holds the conversation: no agent of ours answers, none is paused. */
  readonly isStandby?: true | undefined;
  /** Of a contact's vote: another event, with another id, may tell the same one. */
  readonly mayRepeat?: true | undefined;
  readonly providerMessageId: string;
  /**
   * The contact: digits with country code if the provider sends a phone, else the provider's own
   * address of that person (`...@lid`, a business-scoped user id).
   */
  readonly address: string;
  /** Further addresses of the same person (phone and LID come in pairs). */
  readonly otherAddresses: readonly string[];
  readonly contactName?: string | undefined;
  /** Of a contact's message: the channel's address of the person's picture. */
  readonly profilePictureUrl?: string | undefined;
  readonly messageType: InboundMessageType;
  /** Text, caption, or the title of a choice. */
  readonly message?: string | undefined;
  readonly mediaUrl?: string | undefined;
  /** The provider's id of the media, if it must be downloaded by id. */
  readonly mediaId?: string | undefined;
  readonly mediaFilename?: string | undefined;
  /** The file, where the provider says how to get it: it is fetched and kept. */
  readonly file?: ReceivedFile | undefined;
  /** Holds nothing that a person said or sent, as far as we can read. No agent answers it. */
  readonly isUnreadable?: true | undefined;
  /** The new version of a message, under its original id. Its words replace the stored ones. */
  readonly isEdit?: true | undefined;
  /** When the message was written, ISO 8601; the time of receipt if the provider sends none. */
  readonly sentAt?: string | undefined;
  readonly isGroup: boolean;
  /** Of a contact's message in a group: who wrote it. */
  readonly author?: MessageAuthor | undefined;
  readonly chatName?: string | undefined;
  /** The provider's id of the message that this one answers. */
  readonly quotedProviderMessageId?: string | undefined;
}

/** What a message can be that arrives. The files first. */
export type InboundMessageType =
  | FileMessageType
  | "text"
  | "option_list"
  | "choice"
  | "location"
  | "contacts"
  | "reaction"
  | "order"
  | "poll"
  | "poll_vote"
  | "flow_answer"
  | "payment"
  | "call"
  | "other";

/** The kinds of message that are a file. */
export const fileMessageTypes = [
  ...["image", "audio", "document", "video", "sticker", "voice"] as const,
] as const;
export type FileMessageType = (typeof fileMessageTypes)[number];

/**
 * A person has reacted to a message, or has taken the reaction back. `quotedProviderMessageId` is the
 * message, `message` are the words that the history shows.
 */
export interface ReactionEvent extends
  Pick<
    MessageEvent,
    | "origin"
    | "mayBeOurs"
    | "providerMessageId"
    | "address"
    | "otherAddresses"
    | "contactName"
    | "message"
    | "sentAt"
    | "isGroup"
    | "author"
    | "chatName"
    | "groupId"
    | "quotedProviderMessageId"
  > {
  readonly kind: "reaction";
  /** Null for one that is taken back. */
  readonly emoji: string | null;
}

/**
 * A message from before the number was connected, of either side: it stands in the history at its own
 * instant, and nothing follows from it.
 */
export interface ImportedMessageEvent extends Omit<MessageEvent, "kind" | "mayBeOurs" | "isEdit"> {
  readonly kind: "imported_message";
  readonly isImported: true;
  /** Of our own message. */
  readonly status: ReportedStatus | undefined;
  readonly sentAt: string;
}

/** How far the import of earlier messages is. */
export interface HistoryProgressEvent {
  readonly kind: "history_progress";
  /** 0 to 2: the last day, 90 days, 180 days. */
  readonly phase: number | undefined;
  readonly chunk: number | undefined;
  /** Of the whole, in percent. */
  readonly progress: number | undefined;
  /** Why nothing is imported: the business does not share its history. */
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

/** What somebody is called: by themselves, or in the address book of the business's phone. */
export interface ContactNameEvent {
  readonly kind: "contact_name";
  readonly address: string;
  readonly otherAddresses: readonly string[];
  readonly source: "profile" | "address_book";
  /** None for an entry that was removed from the address book, and where only a picture is told. */
  readonly name?: string | undefined;
  /** The channel's address of the person's picture. */
  readonly profilePictureUrl?: string | undefined;
  readonly at?: string | undefined;
}

/** Further addresses of a person whom the channel names beside a message of ours. They make no contact. */
export interface AddressesEvent {
  readonly kind: "addresses";
  readonly address: string;
  readonly otherAddresses: readonly string[];
}

/** Whether a person is writing or recording at this moment. It is true for seconds, and never stored. */
export interface PresenceEvent {
  readonly kind: "presence";
  readonly isTyping: boolean;
  readonly address: string;
  readonly otherAddresses: readonly string[];
}

/** The status of a message that we sent. */
export interface StatusEvent {
  readonly kind: "status";
  readonly providerMessageId: string;
  /** Our message id, if the provider returns it (`biz_opaque_callback_data`). */
  readonly messageId?: string | undefined;
  readonly status: ReportedStatus;
  readonly at?: string | undefined;
  readonly error?:
    | {
      readonly code: string;
      readonly message: string;
      readonly meaning?: RefusalMeaning | undefined;
    }
    | undefined;
  /** What the official channel says of the price: a kind, never an amount. */
  readonly pricing?: ToldPricing | undefined;
  /** Of a group's message: the member whose phone has got it, or who has read it. */
  readonly member?: (MessageAuthor & { readonly hasRead: boolean }) | undefined;
  /**
   * The sent content and its recipient, if the provider repeats them. They identify a message of
   * ours whose API answer was lost.
   */
  readonly sent?:
    | Pick<MessageEvent, "address" | "otherAddresses" | "messageType" | "message">
    | undefined;
}

/**
 * What the official channel has decided about a template: only the members that one notice tells. A
 * template whose `category` is told has it from now on.
 */
export interface TemplateStatusEvent {
  readonly kind: "template_status";
  readonly providerTemplateId: string;
  /** `APPROVED`, `REJECTED`, `PAUSED`, `DISABLED` and others, as the provider spells them. */
  readonly status?: string | undefined;
  /** Why it is rejected or paused, in the provider's word. */
  readonly reason?: string | undefined;
  /** When the channel will disable it. */
  readonly disablesAt?: string | undefined;
  /** `GREEN`, `YELLOW`, `RED`, `UNKNOWN`. */
  readonly quality?: string | undefined;
  readonly category?: string | undefined;
  /** Its words, edited elsewhere. */
  readonly wording?: TemplateWording | undefined;
}

/** The words of a template's parts; a part that is left out keeps its own. */
export interface TemplateWording {
  readonly body: string;
  readonly title?: string | undefined;
  readonly footer?: string | undefined;
  readonly buttons?:
    | readonly Readonly<Record<"type" | "text" | "url" | "phone_number", string | undefined>>[]
    | undefined;
}

/** The official channel will change a template's category. */
export interface TemplateWarningEvent {
  readonly kind: "template_warning";
  readonly providerTemplateId: string;
  readonly from: string;
  readonly to: string;
  /** When; a day after the notice, where the provider does not say. */
  readonly at: string;
}

/** The official channel tells something of the business's own number. */
export interface NumberEvent {
  readonly kind: "number";
  /** The number, as the channel displays it. */
  readonly phone?: string | undefined;
  readonly fact: NumberFact;
  /** The name or username; none where it was taken away, and of a quality. */
  readonly value?: string | undefined;
  /** The provider's word: `APPROVED`, `FLAGGED`, `reserved`. */
  readonly status: string;
  readonly reason?: string | undefined;
  readonly at?: string | undefined;
}

/** A contact writes with another key: from a new phone or a new installation. */
export interface IdentityEvent {
  readonly kind: "identity";
  readonly address: string;
  readonly otherAddresses: readonly string[];
  /** What the channel calls the key; in a notice without one the notice's id. */
  readonly identity: string;
  /** Whether the channel says that it changed. It is only known now otherwise. */
  readonly isNotice: boolean;
  /**
   * Who tells: a system message, a notice beside a message, or the key of each message. One change may be
   * told by all three, each with a name of its own.
   */
  readonly source: "system" | "beside" | "key";
  /** The id of a system message: a message may name the change by it. */
  readonly noticeId?: string | undefined;
  readonly at?: string | undefined;
}

/**
 * A person has edited a message: the contact, or somebody on the business's own phone. The event
 * identifies the message by its id alone, and does not say whose it is.
 */
export interface MessageEditEvent {
  readonly kind: "message_edit";
  readonly providerMessageId: string;
  /** The new text. */
  readonly message: string;
}

/**
 * A person has deleted a message for everyone: the contact, or somebody on the business's own phone.
 * The event identifies the message by its id alone.
 */
export interface MessageDeletionEvent {
  readonly kind: "message_deletion";
  readonly providerMessageId: string;
}

/** A contact has changed its number or its user id. */
export interface NumberChangeEvent {
  readonly kind: "number_change";
  /** The provider's id of the event. The provider may deliver the same event again. */
  readonly eventId?: string | undefined;
  readonly oldAddress: string;
  readonly newAddress: string;
  /** Further addresses of the same person. */
  readonly otherAddresses?: readonly string[] | undefined;
  /** The addresses are business-scoped user ids. */
  readonly isUserId?: true | undefined;
}

/** A contact has set in the channel whether it wants marketing messages. */
export interface PreferenceEvent {
  readonly kind: "preference";
  readonly address: string;
  readonly otherAddresses: readonly string[];
  readonly marketing: "denied" | "granted";
  readonly at?: string | undefined;
}

/**
 * The instance's connection to the channel came up or was lost: the session of a gateway, or what the
 * official channel lets the account do.
 */
export interface ConnectionEvent {
  readonly kind: "connection";
  readonly state: "connected" | "disconnected";
  /** The provider's words; none for a connection. */
  readonly reason?: string | undefined;
  /** Until when it is lost, if the provider says so. */
  readonly until?: string | undefined;
  /** The number that it is about, as the channel writes it; every number of the account without one. */
  readonly phone?: string | undefined;
  /** The number that a gateway's session is of, in digits, where a new session tells it. */
  readonly pairedPhone?: string | undefined;
  /** When, by the provider's clock, which decides between events that arrive out of order. */
  readonly at?: string | undefined;
}

/** The official channel has handed a conversation over, to us or to another responder of the number. */
export interface ControlEvent {
  readonly kind: "control";
  readonly address: string;
  readonly otherAddresses: readonly string[];
  readonly handledBy: ConversationHolder;
  /** Who held it until then, where that is told. */
  readonly former?: ConversationHolder | undefined;
  readonly reason: ControlReason;
  /** What the former holder tells of it. */
  readonly summary?: string | undefined;
  readonly at?: string | undefined;
}

/** The official channel has changed how much a number may send, or says that it will. */
export interface LimitEvent {
  readonly kind: "limit";
  /** The number, as the channel displays it. */
  readonly phone?: string | undefined;
  /** `UPGRADE`, `DOWNGRADE`, `FLAGGED` and others, as the provider spells them. */
  readonly change: string;
  /** `TIER_2K` and others. */
  readonly limit?: string | undefined;
  /** What the number may do now, as far as this tells it. */
  readonly allowance?: ToldAllowance | undefined;
  /** When it takes effect, if that is announced. */
  readonly effectiveAt?: string | undefined;
  readonly at?: string | undefined;
}

export type ProviderEvent =
  | MessageEvent
  | ReactionEvent
  | ImportedMessageEvent
  | HistoryProgressEvent
  | ContactNameEvent
  | AddressesEvent
  | PresenceEvent
  | MessageEditEvent
  | MessageDeletionEvent
  | StatusEvent
  | TemplateStatusEvent
  | TemplateWarningEvent
  | NumberEvent
  | IdentityEvent
  | NumberChangeEvent
  | PreferenceEvent
  | ConnectionEvent
  | ControlEvent
  | LimitEvent;
