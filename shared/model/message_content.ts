/**
 * What a message says, by its type: in a request, in the database, on its way to a provider and in the
 * history. The database keeps the words as `message` and everything else as one JSON object, `content`.
 */

import type { Part, ShownParts } from "./content_parts.ts";
import type { PaymentPart } from "./payment.ts";

export type OptionList = Part<"optionList">;

/** How a message with options or a link goes out, once that is decided. */
type Rendered = { readonly rendering?: Part<"rendering"> | undefined };

/** The option of a list, or the button, that a contact picked. */
export type Choice = Part<"choice">;

/** A template in the official channel's own shape, already filled. Gateways never receive one. */
export type TemplateContent = Part<"template">;

/** What can be sent (specification 4.4). `message` is the text or the caption. */
export type MessageContent =
  | {
    readonly messageType: "text";
    readonly message: string;
    readonly linkPreview?: boolean | undefined;
  }
  | {
    readonly messageType: "image";
    readonly mediaUrl: string;
    readonly message?: string | undefined;
    readonly viewOnce?: boolean | undefined;
  }
  | {
    readonly messageType: "video";
    readonly mediaUrl: string;
    readonly message?: string | undefined;
    readonly viewOnce?: boolean | undefined;
  }
  | { readonly messageType: "audio"; readonly mediaUrl: string }
  | {
    readonly messageType: "document";
    readonly mediaUrl: string;
    readonly mediaFilename?: string | undefined;
    readonly message?: string | undefined;
  }
  | { readonly messageType: "sticker"; readonly mediaUrl: string }
  /** A recorded voice message, which the phone shows with a play icon. */
  | { readonly messageType: "voice"; readonly mediaUrl: string }
  | { readonly messageType: "location"; readonly location: Part<"location"> }
  | { readonly messageType: "contacts"; readonly contacts: Part<"contacts"> }
  | {
    readonly messageType: "option_list";
    readonly message: string;
    readonly optionList: OptionList;
  } & Rendered
  /** `mediaUrl` is the file of a header that is one. */
  | {
    readonly messageType: "buttons";
    readonly message: string;
    readonly buttons: Part<"buttons">;
    readonly header?: Part<"header"> | undefined;
    readonly footer?: string | undefined;
    readonly mediaUrl?: string | undefined;
  } & Rendered
  | {
    readonly messageType: "link_button";
    readonly message: string;
    readonly linkButton: Part<"linkButton">;
    readonly linkPreview?: boolean | undefined;
  } & Rendered
  /** A reaction to a message of the same contact; without `emoji` it is taken back. */
  | { readonly messageType: "reaction"; readonly reaction: Part<"reaction"> }
  /** Asks for the person's position. */
  | { readonly messageType: "location_request"; readonly message: string } & Rendered
  /** Asks a person who hides the phone number for it. Official channel only. */
  | { readonly messageType: "contact_request"; readonly message: string }
  /** Asks for a payment. `message` is its body. */
  | {
    readonly messageType: "payment_request";
    readonly message: string;
    readonly payment: PaymentPart;
  } & Rendered
  /** Tells a person the new status of a payment; written by the service alone. */
  | {
    readonly messageType: "payment_status";
    readonly message: string;
    readonly paymentStatus: Part<"paymentStatus">;
  } & Rendered
  | { readonly messageType: "template"; readonly template: TemplateContent };

export type MessageType = MessageContent["messageType"];

/** The content of one type. */
export type ContentOf<Type extends MessageType> = Extract<
  MessageContent,
  { readonly messageType: Type }
>;

/** An option as it stands in a numbered text. */
export interface NumberedChoice {
  readonly number: number;
  readonly id: string;
  readonly title: string;
  /** Of a list's row. */
  readonly description?: string | undefined;
}

/** The parts of a stored message besides its text, of sent and of received messages. */
export interface ContentParts extends ShownParts {
  /** Of a message that went out as numbered text: what a typed number or title chooses. */
  readonly choices?: readonly NumberedChoice[] | undefined;
  readonly mediaUrl?: string | undefined;
  /** The provider's id of a received file that has to be asked for by it. */
  readonly mediaId?: string | undefined;
  readonly mediaFilename?: string | undefined;
}

/** A message's content as the database keeps it. */
export interface StoredContent {
  /** A received message may have a type that cannot be sent. */
  readonly messageType: string;
  readonly message: string | null;
  /** Null for a message that is only text. */
  readonly content: ContentParts | null;
}

type Fields<Content> = Exclude<keyof Content, "messageType">;
type NeededFields<Content> = {
  [Field in Fields<Content>]: undefined extends Content[Field] ? never : Field;
}[Fields<Content>];

interface KindOf<Content> {
  /** Fields without which there is nothing to send. */
  readonly needs: readonly NeededFields<Content>[];
  /** Fields that it may have. */
  readonly takes: readonly Exclude<Fields<Content>, NeededFields<Content>>[];
  /** The file types that its `mediaUrl` may end in; there for files alone. */
  readonly fileTypes?: Content extends { readonly mediaUrl: string } ? readonly string[] : never;
}

/** The parts of each message type. Everything else follows from this table. */
export const contentKinds = {
  text: { needs: ["message"], takes: ["linkPreview"] },
  image: { needs: ["mediaUrl"], takes: ["message", "viewOnce"], fileTypes: ["jpg", "jpeg", "png"] },
  video: { needs: ["mediaUrl"], takes: ["message", "viewOnce"], fileTypes: ["mp4"] },
  audio: { needs: ["mediaUrl"], takes: [], fileTypes: ["mp3", "wav"] },
  document: {
    needs: ["mediaUrl"],
    takes: ["message", "mediaFilename"],
    fileTypes: ["jpg", "jpeg", "png", "mp3", "wav", "mp4", "pdf"],
  },
  sticker: { needs: ["mediaUrl"], takes: [], fileTypes: ["webp"] },
  voice: { needs: ["mediaUrl"], takes: [], fileTypes: ["ogg", "opus", "oga"] },
  location: { needs: ["location"], takes: [] },
  contacts: { needs: ["contacts"], takes: [] },
  option_list: { needs: ["optionList", "message"], takes: ["rendering"] },
  buttons: {
    needs: ["buttons", "message"],
    takes: ["header", "footer", "mediaUrl", "rendering"],
  },
  link_button: { needs: ["linkButton", "message"], takes: ["linkPreview", "rendering"] },
  location_request: { needs: ["message"], takes: ["rendering"] },
  contact_request: { needs: ["message"], takes: [] },
  payment_request: { needs: ["payment", "message"], takes: ["rendering"] },
  payment_status: { needs: ["paymentStatus", "message"], takes: ["rendering"] },
  reaction: { needs: ["reaction"], takes: [] },
  template: { needs: ["template"], takes: [] },
} as const satisfies { readonly [Type in MessageType]: KindOf<ContentOf<Type>> };

/** Any field of any content. */
export type ContentField = (typeof contentKinds)[MessageType]["needs" | "takes"][number];

/** The required and the optional fields of a type. */
export function fieldsOf(type: MessageType): {
  readonly needs: readonly ContentField[];
  readonly takes: readonly ContentField[];
} {
  return contentKinds[type];
}

export const messageTypes = Object.keys(contentKinds) as readonly MessageType[];

/** The types that are a file. */
export type MediaContent = Extract<MessageContent, { readonly mediaUrl: string }>;

export function isMediaContent(content: MessageContent): content is MediaContent {
  return isMediaType(content.messageType);
}

/** The types that are about a payment, which the official channel may refuse for a person or an account. */
export type PaymentContent = ContentOf<"payment_request" | "payment_status">;

export function isPaymentContent(content: MessageContent): content is PaymentContent {
  return content.messageType === "payment_request" || content.messageType === "payment_status";
}

/** One that goes in the channel's own form. */
export type NativePayment = PaymentContent & { readonly rendering: "native" };

export function isNativePayment(content: MessageContent): content is NativePayment {
  return isPaymentContent(content) && content.rendering === "native";
}

/** The types whose options or link a channel may show as its own, or as numbered text. */
export type InteractiveContent = ContentOf<
  | "option_list"
  | "buttons"
  | "link_button"
  | "location_request"
  | "payment_request"
  | "payment_status"
>;

export function isInteractive(content: MessageContent): content is InteractiveContent {
  const takes: readonly string[] = contentKinds[content.messageType].takes;
  return takes.includes("rendering");
}
export type MediaMessageType = MediaContent["messageType"];

export function isMediaType(type: string): type is MediaMessageType {
  return isMessageType(type) && "fileTypes" in contentKinds[type];
}

/** Fields of any content, of which a message type needs some. */
export interface ContentFields extends ContentParts {
  readonly message?: string | undefined;
}

/**
 * The content of a type out of what is given, without fields that the type does not have.
 *
 * @throws Error where a field is missing that the type needs: a defect, requests are checked before.
 */
export function toMessageContent(messageType: MessageType, given: ContentFields): MessageContent {
  const { needs, takes } = fieldsOf(messageType);
  if (needs.some((field) => given[field] === undefined)) {
    throw new Error(`a content of type ${messageType} lacks a part`);
  }
  const fields = [...needs, ...takes].map((field) => [field, given[field]]);
  return { messageType, ...Object.fromEntries(fields) };
}

/** A content as the database keeps it. Members that are undefined are left out. */
export function toStoredContent(
  { messageType, message, ...parts }: ContentFields & { readonly messageType: string },
): StoredContent {
  const given = Object.entries(parts).filter(([, part]) => part !== undefined);
  return {
    messageType,
    message: message ?? null,
    content: given.length === 0 ? null : Object.fromEntries(given),
  };
}

/**
 * The content of a stored message of ours.
 *
 * @throws Error for a row that lacks what its type needs: a defect, it was checked when written.
 */
export function readStoredContent(
  { messageType, message, content }: StoredContent,
): MessageContent {
  if (!isMessageType(messageType)) throw new Error("a stored message's type cannot be sent");
  return toMessageContent(messageType, { ...content, message: message ?? undefined });
}

function isMessageType(type: string): type is MessageType {
  return Object.hasOwn(contentKinds, type);
}
