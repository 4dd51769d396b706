/**
 * Converts the content of a provider's message into our content, the same way for every provider.
 */
import { MESSAGE_MAX, readMessage } from "./fields.ts";
import { cleanText, ID_MAX } from "../../model/json_value.ts";
import type { MessageAuthor } from "../../model/message_author.ts";
import {
  type ReceivedPart,
  type ReceivedPartName,
  receivedPartNames,
  type ReceivedParts,
  receivedParts,
  writePart,
} from "../../model/received_parts.ts";
import { type EventAddresses, isUsernameIdentity, usernameMark } from "./addresses.ts";
import type {
  InboundMessageType,
  MessageEvent,
  ReactionEvent,
  StatusEvent,
} from "./provider_event.ts";
import { isLid, isUserId } from "../recipient.ts";
import { createRedactor } from "../http/redaction.ts";
import { readWhatsappRefusal } from "../whatsapp_refusal.ts";

/** The fields of a message event that derive from its content. */
export type EventContent =
  & Pick<
    MessageEvent,
    | "messageType"
    | "message"
    | "mediaUrl"
    | "mediaId"
    | "mediaFilename"
    | "file"
    | "isUnreadable"
    | "quotedProviderMessageId"
  >
  & ReceivedParts
  & {
    /** Of a reaction: its emoji, null where it is taken back. */
    readonly emoji?: string | null;
  };

const TITLE_MAX = 1_024;

/**
 * What a person has chosen: a row of a list (`option_list`), or a button (`choice`). The title becomes the
 * message. If only one of id and title is present, it replaces the other. Without both there is no choice.
 */
export function toChoice(
  messageType: "option_list" | "choice",
  id: string | undefined,
  title: string | undefined,
  description?: string | undefined,
): EventContent | undefined {
  const shown = title ?? id;
  if (shown === undefined) return undefined;
  const choice = {
    id: id ?? cleanText(shown, ID_MAX),
    title: cleanText(shown, TITLE_MAX),
    ...(description === undefined ? {} : { description }),
  };
  return { messageType, message: choice.title, choice };
}

/**
 * A content that is one part, with the part's words as its message. Without the part, because it is
 * malformed, `words` are what is left: the content is `other` then.
 */
export function toPart<Name extends ReceivedPartName>(
  messageType: InboundMessageType,
  name: Name,
  part: ReceivedPart<Name> | undefined,
  words: readonly (string | undefined)[] = [],
): EventContent {
  const label = receivedParts[name].label ?? name;
  if (part === undefined) return toOther(label, words);
  const said = writePart(name, part);
  return { ...toOther(label, said.length === 0 ? words : said), messageType, [name]: part };
}

/** The parts of a message without members that it lacks. */
export function pickParts(parts: ReceivedParts): ReceivedParts {
  const given = receivedPartNames.filter((name) => parts[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, parts[name]]));
}

/** A content without a message type of its own, as readable text: `[location] Café, Rua 1`. */
export function toOther(
  label: string,
  words: readonly (string | undefined)[] = [],
): EventContent {
  const text = words.filter((word) => word !== undefined).join(", ");
  return {
    messageType: "other",
    message: cleanText(text === "" ? `[${label}]` : `[${label}] ${text}`, MESSAGE_MAX),
  };
}

/** What nobody said or sent, as far as we can read it: no agent answers it. */
export function toNotice(
  label: string,
  words: readonly (string | undefined)[] = [],
): EventContent {
  return { ...toOther(label, words), isUnreadable: true };
}

/** A content that is a person's where it has words, else a notice. */
export function toOtherOrNotice(
  label: string,
  words: readonly (string | undefined)[],
): EventContent {
  const hasWords = words.some((word) => word !== undefined);
  return hasWords ? toOther(label, words) : toNotice(label);
}

/** Members that hold a message's text, in any kind of message. */
const wordMembers = new Set([
  ...["conversation", "text", "title", "body", "caption", "content", "name", "description"],
  ...["message", "contentText", "displayName", "displayText", "groupName", "optionName"],
  ...["hydratedTitleText", "hydratedContentText", "newsletterName", "footer", "footerText"],
  ...["note", "messageText", "packDescription"],
]);
const MAX_WORDS = 20;
const MAX_VISITED = 500;

/**
 * An unknown kind of message: `[other]` with the texts found in it, so that the history shows it. Without
 * any text it is a notice.
 */
export function toUnknownKind(value: unknown): EventContent {
  return toOtherOrNotice("other", findWords(value));
}

/** The texts in a message of any kind, each once. */
export function findWords(value: unknown): string[] {
  const words = new Set<string>();
  let level: unknown[] = [value];
  let visited = 0;
  while (level.length > 0 && words.size < MAX_WORDS && visited < MAX_VISITED) {
    const next: unknown[] = [];
    for (const [member, inner] of level.flatMap(listMembers)) {
      if (++visited > MAX_VISITED || words.size >= MAX_WORDS) break;
      const word = wordMembers.has(member) ? readMessage(inner) : undefined;
      if (word !== undefined) words.add(word.trim());
      if (typeof inner === "object" && inner !== null) next.push(inner);
    }
    level = next;
  }
  return [...words];
}

function listMembers(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null
    ? Object.entries(value).slice(0, MAX_VISITED)
    : [];
}

/** A reaction to another message: `[reaction] 👍`. Without an emoji it is taken back. */
export function toReaction(emoji: string | undefined, messageId: string | undefined): EventContent {
  const words = emoji === undefined ? toOther("reaction taken back") : toOther("reaction", [emoji]);
  return {
    ...words,
    messageType: "reaction",
    emoji: emoji ?? null,
    quotedProviderMessageId: messageId,
  };
}

/** A message as the event that it is: a reaction is one of its own. */
export function toMessageOrReaction(
  event: MessageEvent & { readonly emoji?: string | null },
): MessageEvent | ReactionEvent {
  const { emoji, ...rest } = event;
  const message = rest.isGroup ? { ...rest, groupId: rest.address } : rest;
  if (emoji === undefined) return message;
  return {
    kind: "reaction",
    origin: message.origin,
    ...(message.mayBeOurs === undefined ? {} : { mayBeOurs: message.mayBeOurs }),
    providerMessageId: message.providerMessageId,
    address: message.address,
    otherAddresses: message.otherAddresses,
    contactName: message.contactName,
    message: message.message,
    emoji,
    sentAt: message.sentAt,
    isGroup: message.isGroup,
    author: message.author,
    chatName: message.chatName,
    groupId: message.groupId,
    quotedProviderMessageId: message.quotedProviderMessageId,
  };
}

/** The author of a group message, by name and by the addresses that the provider shows of the person. */
export function toAuthor(
  name: string | undefined,
  addresses: EventAddresses | undefined,
): MessageAuthor | undefined {
  const known = addresses === undefined ? [] : [addresses.address, ...addresses.otherAddresses];
  if (name === undefined && known.length === 0) return undefined;
  return {
    name,
    phone: known.find((address) => /^\d{5,20}$/.test(address)),
    userId: known.find(isUserId),
    lid: known.find(isLid),
    username: known.find(isUsernameIdentity)?.replace(usernameMark, ""),
  };
}

/**
 * A group message with its author, whose name, else whose address, stands before the text: a reader of
 * the history sees who speaks. A choice keeps its title.
 */
export function attributeToAuthor(
  content: EventContent,
  author: MessageAuthor | undefined,
): EventContent & Pick<MessageEvent, "author"> {
  const { message, choice } = content;
  const shown = author?.name ?? author?.phone ?? author?.username ?? author?.lid ?? author?.userId;
  if (shown === undefined || message === undefined || choice !== undefined) {
    return { ...content, author };
  }
  return { ...content, author, message: cleanText(`${shown}: ${message}`, MESSAGE_MAX) };
}

/**
 * The reason why one of our messages failed, in the provider's words. The recipient's number is
 * removed, because those words may repeat it.
 */
export function toStatusError(
  code: string | undefined,
  words: readonly (string | undefined)[],
  recipient: string | undefined,
): { readonly code: string; readonly message: string } {
  const text = [...new Set(words)].filter((word) => word !== undefined).join(": ");
  return {
    code: code ?? "failed",
    message: text === "" ? "The provider gave no reason." : redact(text, recipient),
  };
}

/**
 * Why WhatsApp did not accept a message that a gateway had taken: by WhatsApp's own number (`told`), where the
 * gateway passes it on, else by the gateway's `word`.
 */
export function toNackError(word: string, told: unknown): NonNullable<StatusEvent["error"]> {
  const refusal = readWhatsappRefusal(told) ?? { code: word };
  const message = "WhatsApp did not accept the message.";
  return { ...toStatusError(refusal.code, [message], undefined), ...refusal };
}

/**
 * The status of a message that went to a group: one member's reading of it is not the group's, it only
 * proves that it arrived.
 */
export function toGroupStatus(status: StatusEvent["status"]): StatusEvent["status"] {
  return status === "read" ? "delivered" : status;
}

/** Who of a group has got or read its message; undefined for a status that says neither, or not whose. */
export function toGroupMember(
  status: StatusEvent["status"],
  member: MessageAuthor | undefined,
): StatusEvent["member"] {
  if (member === undefined || status !== "delivered" && status !== "read") return undefined;
  return { ...member, hasRead: status === "read" };
}

/** A call that nobody answered. It asks no agent. */
export function toMissedCall(kind: "voice" | "video", callId: string | undefined): EventContent {
  const call = { kind, ...(callId === undefined ? {} : { callId }) };
  return { ...toPart("call", "call", call), isUnreadable: true };
}

/** Why a connection was lost, in the provider's words, without numbers of people. */
export function readReason(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : cleanText(text.replace(/\+?\d[\d\s().-]{6,}\d/g, "[...]"), 200);
}

function redact(text: string, recipient: string | undefined): string {
  return recipient === undefined ? cleanText(text, 500) : createRedactor([], recipient)(text);
}
