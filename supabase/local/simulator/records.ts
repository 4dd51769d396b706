/**
 * What the simulated outside world keeps of everything that reached it, in one readable shape for
 * all providers. `seq` grows by one with every record of any kind, so it is also a cursor.
 */

import { type ProviderKind, providerKinds } from "../../../shared/model/provider_kind.ts";

/** Every provider of the product has its double. */
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
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** What the caller got: a proper acceptance, or the fault that spoiled the answer. */
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
  readonly components: readonly unknown[];
}

export type SimulatedMessageType =
  | "text"
  | "image"
  | "audio"
  | "video"
  | "document"
  | "option_list"
  | "template";

/** The part of a message that its sender wrote, without regard to the provider's wire format. */
export interface SimulatedContent {
  readonly messageType: SimulatedMessageType;
  /** The text, the caption, or the body of an option list. */
  readonly text: string | null;
  /** An address, or the data itself where the provider takes it inline. */
  readonly mediaUrl: string | null;
  readonly fileName: string | null;
  readonly optionList: SimulatedOptionList | null;
  readonly template: SimulatedTemplate | null;
}

/** A content of nothing but the given fields: every other one is null. */
export function fillContent(
  part: Pick<SimulatedContent, "messageType"> & Partial<SimulatedContent>,
): SimulatedContent {
  return {
    text: null,
    mediaUrl: null,
    fileName: null,
    optionList: null,
    template: null,
    ...part,
  };
}

export interface SimulatedMessage extends SimulatedContent {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly receivedAt: string;
  readonly provider: ChannelKind;
  /** Z-API instance id, Evolution instance name or Cloud phone number id. */
  readonly instance: string;
  readonly providerMessageId: string;
  /** The recipient as it was written in the request, digits only. */
  readonly to: string;
  /** The phone that shows the message: the provider's own form of the recipient. */
  readonly waId: string;
  /** How long "typing…" was shown before the message, in milliseconds. */
  readonly typingMs: number;
  /** The caller's own id of the send, where the provider carries one. */
  readonly correlationId: string | null;
  readonly replyTo: string | null;
  readonly answer: Answer;
  /** The request's body as it arrived, parsed. */
  readonly body: unknown;
}

/** What a simulated person wrote, on the customer's phone or on the company's own. */
export interface SimulatedReply {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly receivedAt: string;
  readonly provider: ChannelKind;
  readonly instance: string;
  readonly providerMessageId: string;
  /** The customer's phone, whoever wrote. */
  readonly waId: string;
  /** `company`: a person typed it on the connected phone itself. */
  readonly writtenBy: "customer" | "company";
  readonly customerName: string;
  readonly content: ReplyContent;
  /** The message that it answers. */
  readonly replyTo: string | null;
}

/** What can be answered: a text, an attachment, or a choice from a list or of a button. */
export type ReplyContent =
  | { readonly messageType: "text"; readonly text: string }
  | {
    readonly messageType: "image" | "audio" | "video" | "document";
    readonly mediaUrl: string;
    readonly text: string | null;
    readonly fileName: string | null;
  }
  | {
    readonly messageType: "list_choice" | "button_choice";
    readonly id: string;
    readonly title: string;
  };

/** What the phone did with a message: the statuses that the provider reports. */
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
  /** Why it failed, in the provider's own code and words; only beside `failed`. */
  readonly failure?: StatusFailure;
}

/** What a phone did with a message that reached it. */
export type PhoneStatus = SimulatedStatus & { readonly status: DeliveryStatus };

/** A reason that the official channel gives after it has accepted a message. */
export interface StatusFailure {
  readonly code: number;
  readonly title: string;
  readonly details: string;
}

/** A read receipt of the official channel, which may also show "typing…" to the customer. */
export interface SimulatedReadReceipt {
  readonly seq: number;
  readonly receivedAt: string;
  readonly instance: string;
  /** The inbound message that is marked as read. */
  readonly providerMessageId: string;
  readonly typingShown: boolean;
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
