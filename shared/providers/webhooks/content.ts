/**
 * Converts the content of a provider's message into our content, the same way for every provider.
 */
import { MESSAGE_MAX, readMessage } from "./fields.ts";
import { cleanText, ID_MAX } from "../../model/json_value.ts";
import type { MessageEvent } from "./provider_event.ts";
import { createRedactor } from "../http/redaction.ts";

/** The fields of a message event that derive from its content. */
export type EventContent = Pick<
  MessageEvent,
  | "messageType"
  | "message"
  | "mediaUrl"
  | "mediaId"
  | "mediaFilename"
  | "file"
  | "choice"
  | "isReaction"
  | "isUnreadable"
>;

const TITLE_MAX = 1_024;

/**
 * The choice of an option or a button. The title becomes the message. If only one of id and title
 * is present, it replaces the other. Without both there is no choice.
 */
export function toChoice(
  id: string | undefined,
  title: string | undefined,
): EventContent | undefined {
  const shown = title ?? id;
  if (shown === undefined) return undefined;
  const choice = { id: id ?? cleanText(shown, ID_MAX), title: cleanText(shown, TITLE_MAX) };
  return { messageType: "option_list", message: choice.title, choice };
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

/** Members that hold a message's text, in any kind of message. */
const wordMembers = new Set([
  ...["conversation", "text", "title", "body", "caption", "content", "name", "description"],
  ...["message", "contentText", "displayName", "displayText", "groupName", "optionName"],
  ...["hydratedTitleText", "hydratedContentText", "newsletterName", "footer", "footerText"],
]);
const MAX_WORDS = 20;
const MAX_VISITED = 500;

/**
 * An unknown kind of message: `[other]` with the texts found in it, so that the history shows it.
 */
export function toUnknownKind(value: unknown): EventContent {
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
  return toOther("other", [...words]);
}

function listMembers(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null
    ? Object.entries(value).slice(0, MAX_VISITED)
    : [];
}

/** A reaction to another message, as its emoji: `[reaction] 👍`. */
export function toReaction(emoji: string): EventContent {
  return { ...toOther("reaction", [emoji]), isReaction: true };
}

/** A position: name and address if present, and the coordinates. */
export function toLocation(
  name: string | undefined,
  address: string | undefined,
  latitude: unknown,
  longitude: unknown,
): EventContent {
  const hasPosition = typeof latitude === "number" && typeof longitude === "number";
  const position = hasPosition ? `${latitude} ${longitude}` : undefined;
  return toOther("location", [name, address, position]);
}

/**
 * Puts the author's name before the text of a group message. The contact of a group conversation is
 * the group, so nothing else names the author. A choice keeps its title.
 */
export function attributeToAuthor(content: EventContent, author: string | undefined): EventContent {
  const { message, choice } = content;
  if (author === undefined || message === undefined || choice !== undefined) return content;
  return { ...content, message: cleanText(`${author}: ${message}`, MESSAGE_MAX) };
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

/** Why a connection was lost, in the provider's words, without numbers of people. */
export function readReason(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : cleanText(text.replace(/\+?\d[\d\s().-]{6,}\d/g, "[...]"), 200);
}

function redact(text: string, recipient: string | undefined): string {
  return recipient === undefined ? cleanText(text, 500) : createRedactor([], recipient)(text);
}
