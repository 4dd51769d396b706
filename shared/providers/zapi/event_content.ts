/** Reads the content of a Z-API message (page Webhooks, Ao receber). */
import {
  type EventContent,
  findWords,
  toChoice,
  toLocation,
  toNotice,
  toOther,
  toOtherOrNotice,
  toReaction,
  toUnknownKind,
} from "../webhooks/content.ts";
import { readLabel, readList, readMessage, readName, readUrl } from "../webhooks/fields.ts";
import { readMimeType } from "../webhooks/received_file.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { InboundMessageType } from "../webhooks/provider_event.ts";

/** The member of each kind of media, and the name of its URL. */
const media: readonly (readonly [string, InboundMessageType, string])[] = [
  ["image", "image", "imageUrl"],
  ["sticker", "image", "stickerUrl"],
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

/** Contents that the history shows by their label only. */
const named = ["poll", "order", "product", "event", "pixKeyMessage"];

/** Payments that a person asks for or makes, with a note or without. */
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
  const text = readMessage(payload, "text", "message");
  if (text !== undefined) return { messageType: "text", message: text };
  return readChoice(payload) ?? readMedia(payload) ?? readOther(payload);
}

function readChoice(payload: unknown): EventContent | undefined {
  for (const [member, messageType, id, title] of choices) {
    const choice = toChoice(
      messageType,
      readId(payload, member, id),
      readMessage(payload, member, title) ?? readMessage(payload, member, "message"),
    );
    if (choice !== undefined) return choice;
  }
  return undefined;
}

function readMedia(payload: unknown): EventContent | undefined {
  const found = media.find(([member]) => isObject(readValue(payload, member)));
  if (found === undefined) return undefined;
  const [member, messageType, urlMember] = found;
  const url = readUrl(payload, member, urlMember);
  const mediaFilename = readName(payload, member, "fileName") ?? readName(payload, member, "title");
  return {
    messageType,
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

function readOther(payload: unknown): EventContent | undefined {
  if (isObject(readValue(payload, "location"))) {
    return toLocation(
      readName(payload, "location", "name"),
      readName(payload, "location", "address"),
      readValue(payload, "location", "latitude"),
      readValue(payload, "location", "longitude"),
    );
  }
  if (isObject(readValue(payload, "contact"))) {
    return toOther("contacts", [
      readName(payload, "contact", "displayName"),
      readName(payload, "contact", "phones", 0),
    ]);
  }
  const emoji = readLabel(payload, "reaction", "value");
  if (emoji !== undefined) return toReaction(emoji);
  if (isObject(readValue(payload, "pollVote"))) {
    const options = readList(payload, "pollVote", "options").slice(0, 20);
    return toOther("poll vote", options.map((option) => readName(option, "name")));
  }
  const has = (member: string): boolean => isObject(readValue(payload, member));
  const payment = payments.find(has);
  if (payment !== undefined) {
    return toOtherOrNotice("payment", findWords(readValue(payload, payment)));
  }
  const notice = paymentNotices.find(has);
  if (notice !== undefined) return toNotice("payment", findWords(readValue(payload, notice)));
  const name = named.find(has);
  return name === undefined ? readUnknownKind(payload) : toOther(name);
}

/** Finds an unknown member in a message that is not a system notice. */
function readUnknownKind(payload: unknown): EventContent | undefined {
  if (readText(payload, "notification") !== undefined) return undefined;
  const found = Object.entries((payload ?? {}) as object).find(([member, value]) =>
    !silent.has(member) && isObject(value) && !Array.isArray(value)
  );
  return found === undefined ? undefined : toUnknownKind(found[1]);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
