/**
 * Converts the content of a provider's message into our content, the same way for every provider.
 */
import { MESSAGE_MAX, readMessage } from "./fields.ts";
import { cleanText, ID_MAX, parseJson } from "../../model/json_value.ts";
import type { MessageAuthor } from "../../model/message_author.ts";
import type { EventAddresses } from "./addresses.ts";
import type { MessageEvent } from "./provider_event.ts";
import { isLid, isUserId } from "../recipient.ts";
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
 * What a person has chosen: a row of a list (`option_list`), or a button (`choice`). The title becomes the
 * message. If only one of id and title is present, it replaces the other. Without both there is no choice.
 */
export function toChoice(
  messageType: "option_list" | "choice",
  id: string | undefined,
  title: string | undefined,
): EventContent | undefined {
  const shown = title ?? id;
  if (shown === undefined) return undefined;
  const choice = { id: id ?? cleanText(shown, ID_MAX), title: cleanText(shown, TITLE_MAX) };
  return { messageType, message: choice.title, choice };
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

const MAX_ANSWERS = 100;

/** The fields of a submitted form (a flow), each as `name: value`, from its JSON text. */
export function listAnswers(text: string | undefined): string[] {
  const answers = parseJson(text ?? "");
  if (typeof answers !== "object" || answers === null) return [];
  return Object.entries(answers)
    .filter(([name, value]) => name !== "flow_token" && value !== null && value !== "")
    .slice(0, MAX_ANSWERS)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : toJson(value)}`);
}

/** A value nested too deep for JSON.stringify becomes an ellipsis. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "…";
  }
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
  const place = [readDegrees(latitude, 90), readDegrees(longitude, 180)];
  const position = place.includes(undefined) ? undefined : place.join(" ");
  return toOther("location", [name, address, position]);
}

/** Degrees as a number, or as its text. */
function readDegrees(value: unknown, max: number): number | undefined {
  const isText = typeof value === "string" && /^-?\d{1,3}(?:\.\d{1,20})?$/.test(value.trim());
  const degrees = isText ? Number(value) : value;
  return typeof degrees === "number" && Math.abs(degrees) <= max ? degrees : undefined;
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
  const shown = author?.name ?? author?.phone ?? author?.lid ?? author?.userId;
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

/** Why a connection was lost, in the provider's words, without numbers of people. */
export function readReason(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : cleanText(text.replace(/\+?\d[\d\s().-]{6,}\d/g, "[...]"), 200);
}

function redact(text: string, recipient: string | undefined): string {
  return recipient === undefined ? cleanText(text, 500) : createRedactor([], recipient)(text);
}
