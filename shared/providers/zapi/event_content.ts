/** Reads the content of a Z-API message (page Webhooks, Ao receber). */
import {
  type EventContent,
  findWords,
  toChoice,
  toMissedCall,
  toNotice,
  toOther,
  toPart,
  toReaction,
  toUnknownKind,
} from "../webhooks/content.ts";
import { readLabel, readMessage, readName, readPassage, readUrl } from "../webhooks/fields.ts";
import { readMimeType } from "../webhooks/received_file.ts";
import { hasObject } from "../webhooks/values.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { FileMessageType } from "../webhooks/provider_event.ts";
import { readZapiMenu } from "./event_menu.ts";
import {
  readZapiCards,
  readZapiEvent,
  readZapiEventAnswer,
  readZapiHeaderLocation,
  readZapiLocation,
  readZapiOrder,
  readZapiPayment,
  readZapiPixKey,
  readZapiPoll,
  readZapiProduct,
  readZapiSurroundings,
  readZapiVote,
} from "./event_parts.ts";

/** The member of each kind of media, and the name of its URL. */
const media: readonly (readonly [string, FileMessageType, string])[] = [
  ["image", "image", "imageUrl"],
  ["sticker", "sticker", "stickerUrl"],
  ["audio", "audio", "audioUrl"],
  ["video", "video", "videoUrl"],
  ["ptv", "video", "ptvUrl"],
  ["document", "document", "documentUrl"],
];

/** Members that hold a reply to buttons or a list: the type, and the names of id and title. */
const choices = [
  ["listResponseMessage", "option_list", "selectedRowId", "title"],
  ["buttonsResponseMessage", "choice", "buttonId", "message"],
  ["buttonReply", "choice", "buttonId", "message"],
] as const;

/** Payments that a person asks for or makes. */
const payments = ["requestPayment", "sendPayment"];

/** An order's steps of payment, with the words of the catalog: nobody said them. */
const paymentNotices = ["reviewAndPay", "reviewOrder"];

/**
 * Object members without content of their own: they describe the message, or are handled before.
 */
const silent = new Set([
  ...["text", "reaction", "externalAdReply", "ctwaContext", "referral", "contextInfo", "context"],
  ...["pinMessage", "profilePicture", "announcement", "expiration", "notificationParameters"],
]);

/**
 * Reads the content of a message by the member it has. Returns undefined for messages without
 * content: a removed reaction, a group notice.
 */
export function readZapiContent(payload: unknown): EventContent | undefined {
  const content = readKind(payload);
  return content === undefined ? undefined : { ...readZapiSurroundings(payload), ...content };
}

function readKind(payload: unknown): EventContent | undefined {
  const text = readMessage(payload, "text", "message");
  if (text !== undefined) return { messageType: "text", message: text };
  return readMissedCall(payload) ?? readChoice(payload) ?? readMedia(payload) ??
    readTyped(payload) ??
    readUnknownKind(payload) ?? readHiddenFile(payload);
}

/** A file that only the person's phone shows, once: Z-API tells that it came, and no more. */
function readHiddenFile(payload: unknown): EventContent | undefined {
  return isHiddenFile(payload) ? toNotice("view once") : undefined;
}

/**
 * Whether a payload stands for a file that can be seen once. Z-API tells it as a message that the phone
 * waits for, and its content never comes.
 */
export function isHiddenFile(payload: unknown): boolean {
  return readValue(payload, "waitingMessage") === true && readValue(payload, "viewOnce") === true;
}

/** The notifications of calls that nobody answered, with the kind of call. */
const missedCalls: Readonly<Record<string, "voice" | "video">> = {
  CALL_MISSED_VOICE: "voice",
  CALL_MISSED_VIDEO: "video",
};

function readMissedCall(payload: unknown): EventContent | undefined {
  const notification = readText(payload, "notification") ?? "";
  const kind = Object.hasOwn(missedCalls, notification) ? missedCalls[notification] : undefined;
  return kind === undefined ? undefined : toMissedCall(kind, readId(payload, "callId"));
}

function readChoice(payload: unknown): EventContent | undefined {
  for (const [member, messageType, id, title] of choices) {
    const choice = toChoice(
      messageType,
      readId(payload, member, id),
      readMessage(payload, member, title) ?? readMessage(payload, member, "message"),
      messageType === "option_list" ? readRowDescription(readValue(payload, member)) : undefined,
    );
    if (choice !== undefined) return choice;
  }
  return undefined;
}

/** A row's second line: `message` is it, where the title has a member of its own. */
function readRowDescription(answer: unknown): string | undefined {
  const [title, message] = [readName(answer, "title"), readName(answer, "message")];
  return readName(answer, "description") ??
    (title === undefined || message === title ? undefined : message);
}

function readMedia(payload: unknown): EventContent | undefined {
  const found = media.find(([member]) => hasObject(payload, member));
  if (found === undefined) return undefined;
  const [member, messageType, urlMember] = found;
  const url = readUrl(payload, member, urlMember);
  const mediaFilename = readName(payload, member, "fileName") ?? readName(payload, member, "title");
  const isVoice = readValue(payload, member, "ptt") === true;
  return {
    messageType: messageType === "audio" && isVoice ? "voice" : messageType,
    message: readMessage(payload, member, "caption"),
    mediaUrl: url,
    mediaFilename,
    file: url === undefined ? undefined : {
      source: { url },
      mimeType: readMimeType(payload, member, "mimeType"),
      filename: mediaFilename,
    },
  };
}

/** The members whose content has a part of its own, each with its reader. */
const kinds: readonly (readonly [string, (payload: unknown) => EventContent | undefined])[] = [
  ["location", (payload) =>
    toPart("location", "location", readZapiLocation(payload), [
      readName(payload, "location", "name"),
      readPassage(payload, "location", "address"),
    ])],
  ["contact", readCards],
  ["contacts", readCards],
  ["reaction", (payload) => {
    const messageId = readId(payload, "reaction", "referencedMessage", "messageId");
    const emoji = readLabel(payload, "reaction", "value");
    return emoji === undefined && messageId === undefined
      ? undefined
      : toReaction(emoji, messageId);
  }],
  ["poll", (payload) => toPart("poll", "poll", readZapiPoll(payload))],
  ["pollVote", readVote],
  ["order", (payload) => toPart("order", "order", readZapiOrder(payload))],
  ["product", (payload) => toPart("other", "product", readZapiProduct(payload))],
  ["event", (payload) => toPart("other", "event", readZapiEvent(payload))],
  ["eventResponse", readEventAnswer],
  ["pixKeyMessage", (payload) => toPart("payment", "payment", readZapiPixKey(payload))],
  ...payments.map((member) => [member, readPayment] as const),
  ...paymentNotices.map((member) => [member, readPaymentNotice] as const),
  ...["hydratedTemplate", "buttonsMessage", "carouselMessage", "listMessage"].map((member) =>
    [member, readMenu] as const
  ),
];

function readTyped(payload: unknown): EventContent | undefined {
  const found = kinds.find(([member]) => hasObject(payload, member));
  return found?.[1](payload);
}

function readCards(payload: unknown): EventContent {
  const cards = readZapiCards(payload);
  return toPart("contacts", "contacts", cards.length === 0 ? undefined : cards);
}

function readVote(payload: unknown): EventContent {
  const vote = readZapiVote(payload);
  const content = toPart("poll_vote", "pollVote", vote);
  return vote.pollId === undefined ? content : { ...content, quotedProviderMessageId: vote.pollId };
}

function readEventAnswer(payload: unknown): EventContent {
  const answer = readZapiEventAnswer(payload);
  const content = toPart("other", "eventAnswer", answer);
  return answer?.eventId === undefined
    ? content
    : { ...content, quotedProviderMessageId: answer.eventId };
}

/** A payment that nobody wrote a word beside asks for no answer. */
function readPayment(payload: unknown): EventContent {
  const member = payments.find((name) => hasObject(payload, name)) ?? "";
  const content = toPart("payment", "payment", readZapiPayment(payload));
  const isSaid = findWords(readValue(payload, member)).length > 0;
  return isSaid ? content : { ...content, isUnreadable: true };
}

function readPaymentNotice(payload: unknown): EventContent {
  return { ...toPart("payment", "payment", readZapiPayment(payload)), isUnreadable: true };
}

function readMenu(payload: unknown): EventContent {
  const menu = readZapiMenu(payload);
  const member = kinds.find(([name]) => hasObject(payload, name))?.[0] ?? "";
  const words = findWords(readValue(payload, member));
  if (words.length === 0 && menu?.items.length === 0) return toNotice("other");
  if (menu === undefined) return toOther("other", words);
  const location = readZapiHeaderLocation(payload);
  return {
    ...toPart("other", "menu", menu, words),
    ...(location === undefined ? {} : { location }),
  };
}

/** Finds an unknown member in a message that is not a system notice. */
function readUnknownKind(payload: unknown): EventContent | undefined {
  if (readText(payload, "notification") !== undefined) return undefined;
  const found = Object.entries((payload ?? {}) as object).find(([member, value]) =>
    !silent.has(member) && typeof value === "object" && value !== null && !Array.isArray(value)
  );
  return found === undefined ? undefined : toUnknownKind(found[1]);
}
