/**
 * The records of everything that reached the simulator, in one readable form for all providers.
 * `seq` increases by one with every record of any kind, so it is also a cursor.
 */

import type { SignatureVerdict } from "./webhook_verification.ts";
import type { WrittenParts } from "./written_parts.ts";
import type { MessageType } from "../../../shared/model/message_content.ts";
import { type ProviderKind, providerKinds } from "../../../shared/model/provider_kind.ts";

/** Every provider of the product is simulated. */
export const channelKinds = providerKinds;
export type ChannelKind = ProviderKind;

export const serviceKinds = [...channelKinds, "resend", "chat_completions"] as const;

export const faultKinds = [
  "reject",
  "timeout",
  "reset",
  "rate_limit",
  "server_error",
  "garbage",
  "held",
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** The answer that the caller got: an acceptance, or the fault that replaced or delayed it. */
export type Answer = "accepted" | FaultKind;

export interface SimulatedOptionList {
  readonly title: string;
  readonly buttonLabel: string;
  readonly options: readonly {
    readonly id: string;
    readonly title: string;
    readonly description: string | null;
  }[];
}

export interface SimulatedTemplate {
  readonly name: string;
  readonly language: string;
  /** The values of the send, in the official channel's format. */
  readonly components: readonly unknown[];
  /** What its messages are billed as, and the wording around the text, filled; absent while it is not known. */
  readonly category?: string;
  readonly header?: string | null;
  readonly footer?: string | null;
  readonly buttons?: readonly SimulatedTemplateButton[];
}

/** A button under a template. */
export interface SimulatedTemplateButton {
  readonly title: string;
  /** What a pressed quick reply tells; null for a button of another kind. */
  readonly id: string | null;
  /** Where the button leads; null for a button of another kind. */
  readonly url: string | null;
}

export type SimulatedMessageType = MessageType;

/** What stands beside the words, where the message has it; a header's file is `mediaUrl`. */
export interface SimulatedParts {
  readonly location?: {
    readonly latitude: number;
    readonly longitude: number;
    readonly name?: string | undefined;
    readonly address?: string | undefined;
  };
  readonly contacts?: readonly {
    readonly name: string;
    readonly phones: readonly string[];
    readonly emails?: readonly string[];
    readonly organization?: string | undefined;
    readonly urls?: readonly string[];
  }[];
  readonly buttons?: readonly { readonly id: string; readonly title: string }[];
  readonly linkButton?: { readonly title: string; readonly url: string };
  /** A request to pay: what a person sees of it, copies and opens. */
  readonly payment?: {
    readonly reference: string | null;
    readonly amount: string | null;
    readonly items: readonly { readonly name: string; readonly quantity: number }[];
    readonly code?: string | undefined;
    readonly key?: string | undefined;
    readonly link?: string | undefined;
    readonly boleto?: string | undefined;
  };
  /** What has become of an order that was shown before. */
  readonly orderStatus?: {
    readonly reference: string;
    readonly order?: string | undefined;
    readonly payment?: string | undefined;
  };
  readonly header?: string | undefined;
  /** The kind of the file above the words. */
  readonly headerType?: "image" | "video" | "document";
  readonly footer?: string | undefined;
  readonly viewOnce?: boolean | undefined;
  /** The provider's id of the message that it is to; without an emoji it is taken back. */
  readonly reaction?: { readonly providerMessageId: string; readonly emoji: string | null };
}

/** The content of a message as its sender wrote it, independent of the provider's wire format. */
export interface SimulatedContent {
  readonly messageType: SimulatedMessageType;
  /** The text, the caption, or the body of an option list or of a contact request. */
  readonly text: string | null;
  /** An address, or the data itself if the provider accepts inline data. */
  readonly mediaUrl: string | null;
  readonly fileName: string | null;
  readonly optionList: SimulatedOptionList | null;
  readonly template: SimulatedTemplate | null;
  readonly parts: SimulatedParts;
}

/** A content with the given fields; all others are null. */
export function fillContent(
  part: Pick<SimulatedContent, "messageType"> & Partial<SimulatedContent>,
): SimulatedContent {
  return {
    text: null,
    mediaUrl: null,
    fileName: null,
    optionList: null,
    template: null,
    parts: {},
    ...part,
  };
}

export interface SimulatedMessage extends SimulatedContent {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly receivedAt: string;
  readonly provider: ChannelKind;
  /** The provider's own id of the instance. */
  readonly instance: string;
  readonly providerMessageId: string;
  /** The recipient in the request, digits only. */
  readonly to: string;
  /** The phone that shows the message: the recipient in the provider's own format. */
  readonly waId: string;
  /** How long "typing…" was shown before the message, in milliseconds. */
  readonly typingMs: number;
  /** The caller's own id of the send, if the provider supports one. */
  readonly correlationId: string | null;
  readonly replyTo: string | null;
  readonly answer: Answer;
  /** The parsed body of the request. */
  readonly body: unknown;
  /** What a message by Direct Send is billed as. */
  readonly directSendCategory?: string;
}

/** A message that a person wrote, on the customer's or on the company's phone. */
export interface SimulatedReply {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly receivedAt: string;
  readonly provider: ChannelKind;
  readonly instance: string;
  readonly providerMessageId: string;
  /** The customer's phone, for messages of either side. */
  readonly waId: string;
  /** `company`: an employee typed it on the company's connected phone. */
  readonly writtenBy: "customer" | "company";
  readonly customerName: string;
  /** The customer's user id at the official channel, where the customer has one. */
  readonly userId?: string | undefined;
  readonly content: ReplyContent;
  /** What stands beside the content, or in its place. */
  readonly parts?: WrittenParts;
  /** Another responder of the number holds the conversation. */
  readonly isStandby?: boolean | undefined;
  /** The message to which it replies. */
  readonly replyTo: string | null;
}

/** Kinds of files that a person sends. A voice message is recorded in the chat. */
export const replyFileTypes = [
  ...["image", "audio", "video", "document", "sticker", "voice"] as const,
];
export type ReplyFileType = (typeof replyFileTypes)[number];

/**
 * The content of a reply: a text, an attachment, a choice from a list or of a button, or nothing but its
 * parts.
 */
export type ReplyContent =
  | { readonly messageType: "text"; readonly text: string }
  | { readonly messageType: "none" }
  | {
    readonly messageType: ReplyFileType;
    readonly mediaUrl: string;
    readonly text: string | null;
    readonly fileName: string | null;
    /** The file behind the address, where it was sent from the simulated phone. */
    readonly file?: { readonly id: string; readonly mimeType: string; readonly sha256: string };
    /** The event holds the file itself, as Evolution's business channel does. */
    readonly isEmbedded?: boolean;
  }
  | {
    readonly messageType: "list_choice" | "button_choice";
    readonly id: string;
    readonly title: string;
  };

/** What a person has changed of a message afterwards, on the phone that wrote it. */
export interface SimulatedChange {
  readonly seq: number;
  readonly receivedAt: string;
  readonly provider: ChannelKind;
  readonly instance: string;
  /** The provider's id of the changed message. */
  readonly providerMessageId: string;
  readonly waId: string;
  readonly writtenBy: SimulatedReply["writtenBy"];
  readonly change: "edited" | "deleted";
  /** The new words; null for a deletion. */
  readonly text: string | null;
  /** Whether the sender asked for it through the provider's API, not on a phone. */
  readonly isByApi: boolean;
}

/** The statuses that the provider reports for a message. */
export const deliveryStatuses = ["sent", "delivered", "read"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export interface SimulatedStatus {
  readonly seq: number;
  readonly receivedAt: string;
  readonly provider: ChannelKind;
  readonly instance: string;
  readonly providerMessageId: string;
  readonly waId: string;
  readonly status: DeliveryStatus | "failed";
  /** What the official channel bills the message as; it tells so with its delivery. */
  readonly billedAs?: string;
  /** Whether it bills nothing for it, because an ad or post has brought the person. */
  readonly isFreeEntry?: boolean;
  /** The reason of the failure, with the provider's own code and words; only with `failed`. */
  readonly failure?: StatusFailure;
}

/** A status of a message that reached a phone. */
export type PhoneStatus = SimulatedStatus & { readonly status: DeliveryStatus };

/** The reason of a failure that the official channel reports after it has accepted a message. */
export interface StatusFailure {
  readonly code: number;
  readonly title: string;
  readonly details: string;
}

/** A read receipt. On the official channel it may also show "typing…" to the customer. */
export interface SimulatedReadReceipt {
  readonly seq: number;
  readonly receivedAt: string;
  readonly provider: ChannelKind;
  readonly instance: string;
  /** The inbound message that the receipt marks as read. */
  readonly providerMessageId: string;
  readonly typingShown: boolean;
}

/** "typing…", shown to a customer by a call of its own. */
export interface SimulatedTyping {
  readonly seq: number;
  readonly receivedAt: string;
  readonly provider: ChannelKind;
  readonly instance: string;
  readonly waId: string;
  readonly durationMs: number;
}

/** The company blocks a person, or ends it. */
export interface SimulatedBlock {
  readonly seq: number;
  readonly receivedAt: string;
  readonly provider: ChannelKind;
  readonly instance: string;
  readonly waId: string;
  readonly isBlocked: boolean;
}

export interface SimulatedEmail {
  readonly seq: number;
  readonly receivedAt: string;
  readonly emailId: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly idempotencyKey: string | null;
  readonly answer: Answer;
  readonly body: unknown;
}

export interface SimulatedAiCall {
  readonly seq: number;
  readonly receivedAt: string;
  readonly completionId: string;
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly reply: string;
  readonly answer: Answer;
  readonly body: unknown;
}

/** A call of the product's own webhook, as the receiver took it. */
export interface SimulatedReceiverCall {
  readonly seq: number;
  readonly receivedAt: string;
  /** Header `webhook-id`; empty where it is missing. */
  readonly webhookId: string;
  /** Header `webhook-timestamp`. */
  readonly webhookTimestamp: string;
  readonly verdict: SignatureVerdict;
  readonly answeredStatus: number;
  readonly body: unknown;
}
