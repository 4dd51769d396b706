/** Reads the content of a Cloud API message (page Webhooks, messages), inbound and echo alike. */
import {
  type EventContent,
  listAnswers,
  toChoice,
  toLocation,
  toNotice,
  toOther,
  toOtherOrNotice,
  toReaction,
} from "../webhooks/content.ts";
import { readLabel, readList, readMessage, readName } from "../webhooks/fields.ts";
import { readMimeType, readSha256 } from "../webhooks/received_file.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { InboundMessageType } from "../webhooks/provider_event.ts";

/** Maps media types to message types. A sticker is an image in the history. */
const mediaTypes: Readonly<Record<string, InboundMessageType>> = {
  image: "image",
  sticker: "image",
  audio: "audio",
  voice: "audio",
  video: "video",
  document: "document",
};

/**
 * Reads the content of a message by its `type`. A type without a message type of ours (a reaction,
 * an order, an unknown type) becomes `other` with its name in brackets. A type that is not known holds
 * nothing that we could read: it is a notice. An edit yields its new text. Returns undefined for messages without content: a deletion, a removed reaction, a system
 * notice.
 */
export function readCloudContent(message: unknown): EventContent | undefined {
  const type = readLabel(message, "type") ?? "unsupported";
  if (Object.hasOwn(mediaTypes, type)) return readMedia(message, type);
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
      return toLocation(
        readName(message, "location", "name"),
        readName(message, "location", "address"),
        readValue(message, "location", "latitude"),
        readValue(message, "location", "longitude"),
      );
    case "contacts":
      return toOther(type, readList(message, "contacts").slice(0, 20).map(describeContact));
    case "reaction":
      return readReaction(message);
    case "order":
      return toOther(type, [readMessage(message, "order", "text"), describeItems(message)]);
    case "edit":
      return readEdit(message);
    case "revoke":
    case "system":
      return undefined;
    default:
      return toNotice(type, [readName(message, "errors", 0, "title")]);
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
  const isReadable = content?.message !== undefined && content.messageType !== "other";
  return isReadable ? content : undefined;
}

/**
 * Media are downloaded by id with the instance's token. Meta's media URLs require the token too.
 */
function readMedia(message: unknown, type: string): EventContent {
  const id = readId(message, type, "id");
  const mediaFilename = readName(message, type, "filename");
  return {
    messageType: mediaTypes[type] ?? "other",
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
    );
    if (choice !== undefined) return choice;
  }
  const type = readLabel(message, "interactive", "type") ?? "interactive";
  // The permission to call is a setting, not a message.
  if (type === "call_permission_reply") return undefined;
  const form = readValue(message, "interactive", "nfm_reply");
  const answers = listAnswers(readText(form, "response_json"));
  return toOtherOrNotice(type, [readMessage(form, "body"), ...answers]);
}

function readReaction(message: unknown): EventContent | undefined {
  const emoji = readLabel(message, "reaction", "emoji");
  return emoji === undefined ? undefined : toReaction(emoji);
}

function describeContact(contact: unknown): string | undefined {
  const words = [
    readName(contact, "name", "formatted_name"),
    readName(contact, "phones", 0, "phone") ?? readName(contact, "phones", 0, "wa_id"),
  ].filter((word) => word !== undefined);
  return words.length === 0 ? undefined : words.join(" ");
}

function describeItems(message: unknown): string | undefined {
  const count = readList(message, "order", "product_items").length;
  return count === 0 ? undefined : `${count} item${count === 1 ? "" : "s"}`;
}
