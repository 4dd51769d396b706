/** What a message of Evolution API says: WhatsApp's own message object, one member per kind. */
import {
  type EventContent,
  toChoice,
  toLocation,
  toOther,
  toReaction,
  toUnknownKind,
} from "../webhooks/content.ts";
import { readLabel, readMessage, readName, readUrl } from "../webhooks/fields.ts";
import { parseJson, readId, readText, readValue } from "../../model/json_value.ts";
import type { InboundMessageType } from "../webhooks/provider_event.ts";

type Wrapper = readonly [member: string, inner: string];

/** Members that wrap another message: disappearing, seen once, a document with its caption. */
const wrappers: readonly Wrapper[] = [
  ["ephemeralMessage", "message"],
  ["viewOnceMessage", "message"],
  ["viewOnceMessageV2", "message"],
  ["viewOnceMessageV2Extension", "message"],
  ["documentWithCaptionMessage", "message"],
];
/** Those of an edit, with the message as it is now. */
const editWrappers: readonly Wrapper[] = [
  ["editedMessage", "message"],
  ["protocolMessage", "editedMessage"],
];
const MAX_WRAPPINGS = 5;

const media: readonly (readonly [string, InboundMessageType])[] = [
  ["imageMessage", "image"],
  ["stickerMessage", "image"],
  ["audioMessage", "audio"],
  ["videoMessage", "video"],
  ["ptvMessage", "video"],
  ["documentMessage", "document"],
];

/** Contents that are named in the history and nothing more. */
const named: Readonly<Record<string, string>> = {
  pollCreationMessage: "poll",
  pollCreationMessageV3: "poll",
  pollUpdateMessage: "poll vote",
  orderMessage: "order",
  productMessage: "product",
  eventMessage: "event",
};

/** Members that say nothing: keys, deletions, pins, an album's frame, what we edit ourselves. */
const silent = new Set([
  ...["protocolMessage", "senderKeyDistributionMessage", "reactionMessage", "encReactionMessage"],
  ...["fastRatchetKeySenderKeyDistributionMessage", "editedMessage", "keepInChatMessage"],
  ...["pinInChatMessage", "albumMessage", "placeholderMessage", "secretEncryptedMessage"],
  ...["stickerSyncRmrMessage", "deviceSentMessage", "encEventResponseMessage", "callLogMesssage"],
]);

/**
 * The content of the `data` of an event; of the contact's edit, the new words. Undefined where
 * nothing was said: a reaction taken back, a deletion (`protocolMessage`), an edit of ours, keys
 * exchanged in a group, a message not decrypted.
 */
export function readEvolutionContent(data: unknown): EventContent | undefined {
  const isOurs = readValue(data, "key", "fromMe") === true;
  const known = isOurs ? wrappers : [...wrappers, ...editWrappers];
  const message = unwrapMessage(readValue(data, "message"), known);
  const text = readMessage(message, "conversation") ??
    readMessage(message, "extendedTextMessage", "text");
  if (text !== undefined) return { messageType: "text", message: text };
  return readChoice(message) ?? readMedia(data, message) ?? readOther(message);
}

/** The words of an edit as they are now (`messages.edited`); undefined where it has none. */
export function readEditedWords(edit: unknown): string | undefined {
  const edited = readValue(edit, "editedMessage");
  const message = unwrapMessage(readValue(edited, "message") ?? edited, wrappers);
  return readMessage(message, "conversation") ??
    readMessage(message, "extendedTextMessage", "text") ??
    readMessage(message, "imageMessage", "caption") ??
    readMessage(message, "videoMessage", "caption") ??
    readMessage(message, "documentMessage", "caption");
}

function unwrapMessage(message: unknown, known: readonly Wrapper[]): unknown {
  let inner = message;
  for (let depth = 0; depth < MAX_WRAPPINGS; depth++) {
    const outer = inner;
    const wrapper = known.find((path) => readValue(outer, ...path) !== undefined);
    if (wrapper === undefined) break;
    inner = readValue(outer, ...wrapper);
  }
  return inner;
}

function readChoice(message: unknown): EventContent | undefined {
  return toChoice(
    readId(message, "listResponseMessage", "singleSelectReply", "selectedRowId"),
    readMessage(message, "listResponseMessage", "title"),
  ) ?? toChoice(
    readId(message, "buttonsResponseMessage", "selectedButtonId"),
    readMessage(message, "buttonsResponseMessage", "selectedDisplayText"),
  ) ?? toChoice(
    readId(message, "templateButtonReplyMessage", "selectedId"),
    readMessage(message, "templateButtonReplyMessage", "selectedDisplayText"),
  ) ?? readQuickReply(readValue(message, "interactiveResponseMessage"));
}

/** Its id stands in a JSON text; without one it is no choice, but what its body says. */
function readQuickReply(response: unknown): EventContent | undefined {
  const params = readText(response, "nativeFlowResponseMessage", "paramsJson");
  const id = params === undefined ? undefined : readId(parseJson(params), "id");
  return id === undefined ? undefined : toChoice(id, readMessage(response, "body", "text"));
}

/**
 * `url` inside the media's own member leads to encrypted bytes; `mediaUrl` beside it is the copy
 * that Evolution keeps where it has a storage. The bytes themselves (`base64`) are left out.
 */
function readMedia(data: unknown, message: unknown): EventContent | undefined {
  const found = media.find(([member]) => isObject(readValue(message, member)));
  if (found === undefined) return undefined;
  const [member, messageType] = found;
  return {
    messageType,
    message: readMessage(message, member, "caption"),
    mediaUrl: readUrl(message, "mediaUrl") ?? readUrl(data, "message", "mediaUrl") ??
      readUrl(data, "mediaUrl"),
    mediaFilename: readName(message, member, "fileName") ?? readName(message, member, "title"),
  };
}

function readOther(message: unknown): EventContent | undefined {
  for (const member of ["locationMessage", "liveLocationMessage"]) {
    if (isObject(readValue(message, member))) return readLocation(message, member);
  }
  for (const member of ["contactMessage", "contactsArrayMessage"]) {
    if (isObject(readValue(message, member))) {
      return toOther("contacts", [readName(message, member, "displayName")]);
    }
  }
  const emoji = readLabel(message, "reactionMessage", "text");
  if (emoji !== undefined) return toReaction(emoji);
  const reply = readMessage(message, "interactiveResponseMessage", "body", "text");
  if (reply !== undefined) return { messageType: "text", message: reply };
  const [, label] =
    Object.entries(named).find(([member]) => isObject(readValue(message, member))) ?? [];
  return label === undefined ? readUnknownKind(message) : toOther(label);
}

/** A member of WhatsApp's message object that is new to us: named `...Message`, with a version. */
function readUnknownKind(message: unknown): EventContent | undefined {
  if (!isObject(message)) return undefined;
  const found = Object.entries(message as object).find(([member, value]) =>
    /Message(?:V\d{1,2})?$/.test(member) && !silent.has(member) && isObject(value)
  );
  return found === undefined ? undefined : toUnknownKind(found[1]);
}

function readLocation(message: unknown, member: string): EventContent {
  return toLocation(
    readName(message, member, "name"),
    readName(message, member, "address"),
    readValue(message, member, "degreesLatitude"),
    readValue(message, member, "degreesLongitude"),
  );
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
