/** What a message from a provider says, whichever provider carried it. */
import { MESSAGE_MAX, readMessage } from "./fields.ts";
import { cleanText, ID_MAX } from "../../model/json_value.ts";
import type { MessageEvent } from "./provider_event.ts";
import { createRedactor } from "../http/redaction.ts";

/** The part of a message event that its content decides. */
export type EventContent = Pick<
  MessageEvent,
  | "messageType"
  | "message"
  | "mediaUrl"
  | "mediaId"
  | "mediaFilename"
  | "choice"
  | "isReaction"
  | "isUnreadable"
>;

const TITLE_MAX = 1_024;

/**
 * The pick of an option or a button. The title is the message; each of the two stands in for the
 * other where the provider gives only one, and without any there is no choice.
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

/** What has no type of its own, readable in the history: `[location] Café, Rua 1`. */
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

/** Members whose texts are a message's words, in whatever kind of message. */
const wordMembers = new Set([
  ...["conversation", "text", "title", "body", "caption", "content", "name", "description"],
  ...["message", "contentText", "displayName", "displayText", "groupName", "optionName"],
  ...["hydratedTitleText", "hydratedContentText", "newsletterName", "footer", "footerText"],
]);
const MAX_WORDS = 20;
const MAX_VISITED = 500;

/**
 * A kind of message that is new to us: `[other]` with what words it has, so that it does not vanish.
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

/** A reaction to another message, by its emoji: `[reaction] 👍`. */
export function toReaction(emoji: string): EventContent {
  return { ...toOther("reaction", [emoji]), isReaction: true };
}

/** A position, by name and address where there are any, with its coordinates. */
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
 * The text of a group message under its author's name: the contact of a group conversation is the
 * group, so that nothing else would say who spoke. A choice keeps its title.
 */
export function attributeToAuthor(content: EventContent, author: string | undefined): EventContent {
  const { message, choice } = content;
  if (author === undefined || message === undefined || choice !== undefined) return content;
  return { ...content, message: cleanText(`${author}: ${message}`, MESSAGE_MAX) };
}

/**
 * Why a message of ours failed, in the provider's words, without the recipient's number, which they
 * may repeat.
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

function redact(text: string, recipient: string | undefined): string {
  return recipient === undefined ? cleanText(text, 500) : createRedactor([], recipient)(text);
}
