/** Reads the content of a Cloud API message (page Webhooks, messages), inbound and echo alike. */
import { readCatalogOrder } from "../webhooks/catalog_order.ts";
import {
  type EventContent,
  findWords,
  toChoice,
  toNotice,
  toOther,
  toOtherOrNotice,
  toPart,
  toReaction,
} from "../webhooks/content.ts";
import { readLabel, readMessage, readName, readPassage } from "../webhooks/fields.ts";
import { readFlowAnswer } from "../webhooks/flow_answer.ts";
import { readMimeType, readSha256 } from "../webhooks/received_file.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { FileMessageType } from "../webhooks/provider_event.ts";
import {
  readCloudCards,
  readCloudLocation,
  readCloudPayment,
  readCloudSurroundings,
} from "./event_parts.ts";

/** Maps media types to message types. */
const mediaTypes: Readonly<Record<string, FileMessageType>> = {
  image: "image",
  sticker: "sticker",
  audio: "audio",
  voice: "voice",
  video: "video",
  document: "document",
};

/** Whether a content's type is one of files. */
function isMedia(type: string): boolean {
  return Object.hasOwn(mediaTypes, type);
}

/**
 * Reads the content of a message, and what stands beside it. Returns undefined for messages without
 * content: a deletion, a removed reaction, a system notice.
 */
export function readCloudContent(message: unknown): EventContent | undefined {
  const content = readKind(message);
  return content === undefined ? undefined : { ...readCloudSurroundings(message), ...content };
}

/**
 * Reads the content by its `type`. An unknown type becomes `other` with its name in brackets and the texts
 * found in it; without any it is a notice. An edit yields its new text.
 */
function readKind(message: unknown): EventContent | undefined {
  const type = readLabel(message, "type") ?? "unsupported";
  if (isMedia(type)) return readMedia(message, type);
  switch (type) {
    case "text":
      return readTyped(message);
    case "interactive":
      return readInteractive(message);
    case "button":
      return toChoice(
        "choice",
        readId(message, "button", "payload"),
        readMessage(message, "button", "text"),
      ) ?? toNotice(type);
    case "location":
      return toPart("location", "location", readCloudLocation(message), [
        readName(message, "location", "name"),
        readPassage(message, "location", "address"),
      ]);
    case "contacts": {
      const cards = readCloudCards(message);
      return toPart("contacts", "contacts", cards.length === 0 ? undefined : cards);
    }
    case "reaction":
      return readReaction(message);
    case "order":
      return toPart("order", "order", readCatalogOrder(readValue(message, "order")));
    case "edit":
      return readEdit(message);
    case "revoke":
    case "system":
      return undefined;
    case "payment":
    case "payment_notification":
    case "payment_method":
      return readPayment(type, readValue(message, type), message);
    case "unsupported":
      return toNotice(type, [readName(message, "errors", 0, "title")]);
    default: {
      const words = findWords(readValue(message, type));
      return words.length === 0
        ? toNotice(type, [readName(message, "errors", 0, "title")])
        : toOther(type, words);
    }
  }
}

function readTyped(message: unknown): EventContent {
  const text = readMessage(message, "text", "body");
  return text === undefined ? toOther("text") : { messageType: "text", message: text };
}

/**
 * The new version of an edited message: a text, or a file with its caption. Edits are not nested.
 */
function readEdit(message: unknown): EventContent | undefined {
  const edited = readValue(message, "edit", "message");
  const content = readLabel(edited, "type") === "edit" ? undefined : readCloudContent(edited);
  const isReadable = content?.message !== undefined &&
    (content.messageType === "text" || isMedia(content.messageType));
  return isReadable ? content : undefined;
}

/**
 * Media are downloaded by id with the instance's token. Meta's media URLs require the token too.
 */
function readMedia(message: unknown, type: string): EventContent {
  const id = readId(message, type, "id");
  const mediaFilename = readName(message, type, "filename");
  const isVoice = readValue(message, type, "voice") === true;
  return {
    messageType: isVoice ? "voice" : mediaTypes[type] ?? "other",
    message: readMessage(message, type, "caption"),
    mediaId: id,
    mediaFilename,
    file: id === undefined ? undefined : {
      source: { id },
      mimeType: readMimeType(message, type, "mime_type"),
      sha256: readSha256(message, type, "sha256"),
      filename: mediaFilename,
    },
  };
}

const replies = [["list_reply", "option_list"], ["button_reply", "choice"]] as const;

function readInteractive(message: unknown): EventContent | undefined {
  for (const [reply, messageType] of replies) {
    const choice = toChoice(
      messageType,
      readId(message, "interactive", reply, "id"),
      readMessage(message, "interactive", reply, "title"),
      readName(message, "interactive", reply, "description"),
    );
    if (choice !== undefined) return choice;
  }
  const type = readLabel(message, "interactive", "type") ?? "interactive";
  // The permission to call is a setting, not a message.
  if (type === "call_permission_reply") return undefined;
  if (type === "payment_method" || type === "payment") {
    return readPayment(type, readValue(message, "interactive", type), message);
  }
  const form = readValue(message, "interactive", "nfm_reply");
  const answer = readFlowAnswer(readText(form, "response_json"), readName(form, "name"));
  const body = readMessage(form, "body");
  if (answer === undefined) return toOtherOrNotice(type, [body]);
  const content = toPart("flow_answer", "flowAnswer", answer, [body]);
  const isEmpty = body === undefined && Object.keys(answer.data).length === 0;
  return isEmpty ? { ...content, isUnreadable: true } : content;
}

/** A step of a payment: nobody said it, so no agent answers. */
function readPayment(type: string, payment: unknown, message: unknown): EventContent {
  const part = readCloudPayment(payment);
  const content = part === undefined
    ? toNotice(type, [readName(message, "errors", 0, "title")])
    : toPart("payment", "payment", part);
  return { ...content, isUnreadable: true };
}

function readReaction(message: unknown): EventContent | undefined {
  const messageId = readId(message, "reaction", "message_id");
  const emoji = readLabel(message, "reaction", "emoji");
  // Nothing can be taken back of a message that is not named.
  return emoji === undefined && messageId === undefined ? undefined : toReaction(emoji, messageId);
}
