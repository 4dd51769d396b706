/**
 * What a message says, by its type: in a request, in the database, on its way to a provider and in the
 * history. The database keeps the words as `message` and everything else as one JSON object, `content`.
 */

import type { Part, ShownParts } from "./content_parts.ts";

export type OptionList = Part<"optionList">;

/** The option of a list, or the button, that a contact picked. */
export type Choice = Part<"choice">;

/** A template in the official channel's own shape, already filled. Gateways never receive one. */
export type TemplateContent = Part<"template">;

/** What can be sent (specification 4.4). `message` is the text or the caption. */
export type MessageContent =
  | { readonly messageType: "text"; readonly message: string }
  | {
    readonly messageType: "image";
    readonly mediaUrl: string;
    readonly message?: string | undefined;
  }
  | {
    readonly messageType: "video";
    readonly mediaUrl: string;
    readonly message?: string | undefined;
  }
  | { readonly messageType: "audio"; readonly mediaUrl: string }
  | {
    readonly messageType: "document";
    readonly mediaUrl: string;
    readonly mediaFilename?: string | undefined;
    readonly message?: string | undefined;
  }
  | {
    readonly messageType: "option_list";
    readonly message: string;
    readonly optionList: OptionList;
  }
  /** Asks a person who hides the phone number for it. Official channel only. */
  | { readonly messageType: "contact_request"; readonly message: string }
  | { readonly messageType: "template"; readonly template: TemplateContent };

export type MessageType = MessageContent["messageType"];

/** The content of one type. */
export type ContentOf<Type extends MessageType> = Extract<
  MessageContent,
  { readonly messageType: Type }
>;

/** The parts of a stored message besides its text, of sent and of received messages. */
export interface ContentParts extends ShownParts {
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
  text: { needs: ["message"], takes: [] },
  image: { needs: ["mediaUrl"], takes: ["message"], fileTypes: ["jpg", "jpeg", "png"] },
  video: { needs: ["mediaUrl"], takes: ["message"], fileTypes: ["mp4"] },
  audio: { needs: ["mediaUrl"], takes: [], fileTypes: ["mp3", "wav"] },
  document: {
    needs: ["mediaUrl"],
    takes: ["message", "mediaFilename"],
    fileTypes: ["jpg", "jpeg", "png", "mp3", "wav", "mp4", "pdf"],
  },
  option_list: { needs: ["optionList", "message"], takes: [] },
  contact_request: { needs: ["message"], takes: [] },
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

/** The types with a file. */
export type MediaContent = Extract<MessageContent, { readonly mediaUrl: string }>;
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
