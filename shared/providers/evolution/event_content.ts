/**
 * Reads the content of a message of Evolution API from WhatsApp's own message object, which has one
 * member per message kind.
 */
import {
  type EventContent,
  findWords,
  toChoice,
  toNotice,
  toOtherOrNotice,
  toPart,
  toReaction,
  toUnknownKind,
} from "../webhooks/content.ts";
import {
  MESSAGE_MAX,
  readLabel,
  readList,
  readMessage,
  readName,
  readPassage,
  readUrl,
} from "../webhooks/fields.ts";
import { readFlowAnswer } from "../webhooks/flow_answer.ts";
import { readMimeType, readSha256 } from "../webhooks/received_file.ts";
import { hasObject, readCount } from "../webhooks/values.ts";
import { cleanText, parseJson, readId, readText, readValue } from "../../model/json_value.ts";
import type { FileMessageType } from "../webhooks/provider_event.ts";
import { menuMembers, readEvolutionMenu } from "./event_menu.ts";
import {
  findInvite,
  findMember,
  findPoll,
  isVoteRead,
  paymentMembers,
  readEvolutionCards,
  readEvolutionEvent,
  readEvolutionEventAnswer,
  readEvolutionHeaderLocation,
  readEvolutionInvite,
  readEvolutionLocation,
  readEvolutionOrder,
  readEvolutionPayment,
  readEvolutionPoll,
  readEvolutionProduct,
  readEvolutionVote,
} from "./event_parts.ts";
import { readEvolutionSurroundings } from "./event_surroundings.ts";
import { unwrapMessage, unwrapToEdit } from "./wrapped_message.ts";

const MAX_OPTIONS = 100;

const media: readonly (readonly [string, FileMessageType])[] = [
  ["imageMessage", "image"],
  ["stickerMessage", "sticker"],
  ["audioMessage", "audio"],
  ["videoMessage", "video"],
  ["ptvMessage", "video"],
  ["documentMessage", "document"],
];

/**
 * Members without content for the history: keys, deletions, pins, an album's frame, our own edits, what
 * happens to a status.
 */
const silent = new Set([
  ...["protocolMessage", "senderKeyDistributionMessage", "reactionMessage", "encReactionMessage"],
  ...["fastRatchetKeySenderKeyDistributionMessage", "editedMessage", "keepInChatMessage"],
  ...["pinInChatMessage", "albumMessage", "placeholderMessage", "secretEncryptedMessage"],
  ...["stickerSyncRmrMessage", "encEventResponseMessage", "callLogMesssage"],
  ...["statusNotificationMessage", "statusStickerInteractionMessage"],
]);

/**
 * Reads the content of an event's `data`: of an edit the new version. Returns undefined for events
 * without content: a removed reaction, a deletion (`protocolMessage`), a key exchange in a group, an
 * undecrypted message.
 */
export function readEvolutionContent(data: unknown): EventContent | undefined {
  const unwrapped = unwrapMessage(readValue(data, "message"));
  const content = readKind(data, unwrapped.message);
  return content === undefined
    ? undefined
    : { ...readEvolutionSurroundings(data, unwrapped), ...content };
}

function readKind(data: unknown, message: unknown): EventContent | undefined {
  const text = readMessage(message, "conversation") ??
    readMessage(message, "extendedTextMessage", "text");
  if (text !== undefined) return { messageType: "text", message: text };
  return readChoice(message) ?? readMedia(data, message) ?? readTyped(data, message) ??
    readUnknownKind(message) ?? readEmptiedAnswer(data);
}

/**
 * The answer to a form or a payment at the business channel, of which Evolution leaves the type alone
 * (source, 2.3.7: `messageInteractiveJson` reads a title that such an answer has not).
 */
function readEmptiedAnswer(data: unknown): EventContent | undefined {
  const isAnswer = readText(data, "messageType") === "interactiveMessage" &&
    Object.keys(readValue(data, "message") ?? {}).every((member) => member === "contextInfo");
  return isAnswer ? toNotice("interactive") : undefined;
}

/**
 * The id of the message that this one answers. Evolution repeats `contextInfo` beside the message
 * (source, 2.3.6), but not that of a wrapped one, which has it in its own member.
 */
export function readQuotedId(data: unknown): string | undefined {
  const beside = readId(data, "contextInfo", "stanzaId");
  if (beside !== undefined) return beside;
  const { message, targetId } = unwrapToEdit(readValue(data, "message"));
  if (targetId !== undefined || !isObject(message)) return targetId;
  return Object.keys(message as object)
    .map((member) => readId(message, member, "contextInfo", "stanzaId"))
    .find((id) => id !== undefined);
}

/** The new version in an edit (`messages.edited`); undefined if it is none of words or a file. */
export function readEditedContent(edit: unknown): EventContent | undefined {
  const edited = readValue(edit, "editedMessage");
  const message = readValue(edited, "message") ?? edited;
  return readEvolutionContent({ key: readValue(edit, "key"), message });
}

function readChoice(message: unknown): EventContent | undefined {
  return toChoice(
    "option_list",
    readId(message, "listResponseMessage", "singleSelectReply", "selectedRowId"),
    readMessage(message, "listResponseMessage", "title"),
    readName(message, "listResponseMessage", "description"),
  ) ?? toChoice(
    "choice",
    readId(message, "buttonsResponseMessage", "selectedButtonId"),
    readMessage(message, "buttonsResponseMessage", "selectedDisplayText"),
  ) ?? toChoice(
    "choice",
    readId(message, "templateButtonReplyMessage", "selectedId"),
    readMessage(message, "templateButtonReplyMessage", "selectedDisplayText"),
  ) ?? readQuickReply(readValue(message, "interactiveResponseMessage"));
}

/** The names of an answer to a list in a native flow. */
const listNames = new Set(["single_select", "menu_options"]);

/**
 * Reads the option's id from a JSON text. Without an id, the body's text is the content, not a
 * choice.
 */
function readQuickReply(response: unknown): EventContent | undefined {
  const params = parseJson(readText(response, "nativeFlowResponseMessage", "paramsJson") ?? "");
  const id = readId(params, "id");
  if (id === undefined) return undefined;
  const name = readText(response, "nativeFlowResponseMessage", "name") ?? "";
  return toChoice(
    listNames.has(name) ? "option_list" : "choice",
    id,
    readMessage(params, "title") ?? readMessage(response, "body", "text"),
    readName(params, "description"),
  );
}

/**
 * Reads `mediaUrl`, the copy that Evolution stores if it has a storage. The member's own `url`
 * leads to encrypted bytes. Where the event holds the bytes themselves (`base64`), they are kept: the
 * business channel cannot be asked for them. Else the file is asked for by the message's id.
 */
function readMedia(data: unknown, message: unknown): EventContent | undefined {
  const found = media.find(([member]) => hasObject(message, member));
  if (found === undefined) return undefined;
  const [member, kind] = found;
  const isVoice = kind === "audio" && readValue(message, member, "ptt") === true;
  const messageType = isVoice ? "voice" : kind;
  const url = readUrl(message, "mediaUrl") ?? readUrl(data, "message", "mediaUrl") ??
    readUrl(data, "mediaUrl");
  const mediaFilename = readName(message, member, "fileName") ??
    readName(message, member, "filename") ?? readName(message, member, "title");
  return {
    messageType,
    message: readMessage(message, member, "caption"),
    mediaUrl: url,
    mediaFilename,
    file: {
      source: { url, id: readId(data, "key", "id"), embedded: readEmbedded(data, message) },
      // The business channel passes on what Meta sent, in Meta's spelling.
      mimeType: readMimeType(message, member, "mimetype") ??
        readMimeType(message, member, "mime_type"),
      sha256: readSha256(message, member, "fileSha256") ?? readSha256(message, member, "sha256"),
      filename: mediaFilename,
      transcript: kind === "audio" ? readTranscript(data, message) : undefined,
    },
  };
}

/** The token of the file in `base64`: see `FileSource`. */
function readEmbedded(data: unknown, message: unknown): string | undefined {
  const places = [
    readId(data, "message", "base64"),
    readId(message, "base64"),
    readId(data, "base64"),
  ];
  return places.find((token) => token !== undefined && /^(?:staged|inline):\d+$/.test(token));
}

/** The words of a voice message, which Evolution writes down where it has a model: `[audio] …`. */
function readTranscript(data: unknown, message: unknown): string | undefined {
  const words = readMessage(data, "message", "speechToText") ??
    readMessage(message, "speechToText");
  return words?.replace(/^\s*\[audio\]\s*/i, "").trim() || undefined;
}

type KindReader = (message: unknown, data: unknown) => EventContent | undefined;

/** The members whose content has a part of its own, each with its reader. */
const kinds: readonly (readonly [string, KindReader])[] = [
  ...["locationMessage", "liveLocationMessage"].map((member) =>
    [member, (message: unknown) => readLocation(message, member)] as const
  ),
  ["contactMessage", readCards],
  ["contactsArrayMessage", readCards],
  ["reactionMessage", (message) => {
    const messageId = readId(message, "reactionMessage", "key", "id");
    const emoji = readLabel(message, "reactionMessage", "text");
    return emoji === undefined && messageId === undefined
      ? undefined
      : toReaction(emoji, messageId);
  }],
  ["interactiveResponseMessage", readAnswer],
  ...paymentMembers.map((member) =>
    [member, (message: unknown) => readPayment(message, member)] as const
  ),
  ["pollUpdateMessage", readVote],
  ["orderMessage", (message) => toPart("order", "order", readEvolutionOrder(message))],
  ["productMessage", (message) =>
    addWritten(
      toPart("other", "product", readEvolutionProduct(message)),
      message,
      "productMessage",
      ["body", "footer"],
    )],
  ["eventMessage", (message) => toPart("other", "event", readEvolutionEvent(message))],
  [
    "eventResponseMessage",
    (message) => toPart("other", "eventAnswer", readEvolutionEventAnswer(message)),
  ],
  [
    "questionResponseMessage",
    (message) => readReply(readValue(message, "questionResponseMessage")),
  ],
  [
    "statusQuestionAnswerMessage",
    (message) => readReply(readValue(message, "statusQuestionAnswerMessage")),
  ],
  ["richResponseMessage", readForwardedAnswer],
  ...menuMembers.map((member) => [member, readMenu] as const),
];

function readTyped(data: unknown, message: unknown): EventContent | undefined {
  if (findPoll(message) !== undefined) {
    return toPart("poll", "poll", readEvolutionPoll(message));
  }
  const invite = findInvite(message);
  if (invite !== undefined) return readInvite(message, invite);
  const result = findMember(message, /^pollResultSnapshotMessage(?:V\d{1,2})?$/);
  if (result !== undefined) return readPollResult(readValue(message, result));
  return kinds.find(([member]) => hasObject(message, member))?.[1](message, data);
}

function readCards(message: unknown): EventContent {
  const cards = readEvolutionCards(message);
  return toPart("contacts", "contacts", cards.length === 0 ? undefined : cards, [
    readName(message, "contactsArrayMessage", "displayName"),
  ]);
}

/** A payment that nobody wrote a word beside asks for no answer. */
function readPayment(message: unknown, member: string): EventContent {
  const content = toPart("payment", "payment", readEvolutionPayment(message));
  const isSaid = findWords(readValue(message, member)).length > 0;
  return isSaid ? content : { ...content, isUnreadable: true };
}

function readVote(message: unknown, data: unknown): EventContent {
  const vote = readEvolutionVote(data, message);
  const part = toPart("poll_vote", "pollVote", vote);
  const content = isVoteRead(data, message) ? part : { ...part, isUnreadable: true } as const;
  return vote.pollId === undefined ? content : { ...content, quotedProviderMessageId: vote.pollId };
}

function readInvite(message: unknown, member: string): EventContent {
  const content = toPart("other", "groupInvite", readEvolutionInvite(message));
  return addWritten(content, message, member, ["caption"]);
}

/** How many have chosen each option of a poll, which somebody has shared. */
function readPollResult(result: unknown): EventContent {
  const counted = readList(result, "pollVotes").slice(0, MAX_OPTIONS).map((option) => {
    const count = readCount(option, "optionVoteCount") ?? 0;
    const name = readName(option, "optionName");
    return name === undefined ? undefined : `${name}: ${count}`;
  });
  return toOtherOrNotice("poll result", [readPassage(result, "name"), ...counted]);
}

/** The answer to a question of a channel or a status: a text that quotes it. */
function readReply(reply: unknown): EventContent | undefined {
  const text = readMessage(reply, "text");
  if (text === undefined) return undefined;
  const asked = readId(reply, "key", "id");
  return { messageType: "text", message: text, quotedProviderMessageId: asked };
}

/** What Meta's assistant has written, which a person forwards: its paragraphs. */
function readForwardedAnswer(message: unknown): EventContent | undefined {
  const written = readList(message, "richResponseMessage", "submessages")
    .map((part) => readMessage(part, "messageText")).filter((text) => text !== undefined);
  return written.length === 0
    ? undefined
    : { messageType: "text", message: cleanText(written.join("\n\n"), MESSAGE_MAX) };
}

function readMenu(message: unknown): EventContent | undefined {
  const menu = readEvolutionMenu(message);
  const words = findWords(message);
  if (menu === undefined || words.length === 0 && menu.items.length === 0) return undefined;
  const location = readEvolutionHeaderLocation(message);
  return {
    ...toPart("other", "menu", menu, words),
    ...(location === undefined ? {} : { location }),
  };
}

/** The answer to a form, to a payment or to buttons: its fields, else its words. */
function readAnswer(message: unknown): EventContent {
  const response = readValue(message, "interactiveResponseMessage");
  const words = readMessage(response, "body", "text");
  const flow = readValue(response, "nativeFlowResponseMessage");
  const name = readName(flow, "name");
  const answer = name === "quick_reply"
    ? undefined
    : readFlowAnswer(readText(flow, "paramsJson"), name);
  const hasFields = answer !== undefined && Object.keys(answer.data).length > 0;
  if (!hasFields && words !== undefined) return { messageType: "text", message: words };
  return answer !== undefined && hasFields
    ? toPart("flow_answer", "flowAnswer", answer, [words])
    : toOtherOrNotice("interactive", [words]);
}

/**
 * Finds a message member that this reader does not know. WhatsApp names them `...Message`,
 * optionally with a version.
 */
function readUnknownKind(message: unknown): EventContent | undefined {
  if (!isObject(message)) return undefined;
  const found = Object.entries(message as object).find(([member, value]) =>
    /Message(?:V\d{1,2})?$/.test(member) && !silent.has(member) && isObject(value)
  );
  return found === undefined ? undefined : toUnknownKind(found[1]);
}

function readLocation(message: unknown, member: string): EventContent {
  const content = toPart("location", "location", readEvolutionLocation(message, member), [
    readName(message, member, "name"),
    readPassage(message, member, "address"),
  ]);
  return addWritten(content, message, member, ["caption", "comment"]);
}

/** A part's words, and after them what the person wrote beside the part. */
function addWritten(
  content: EventContent,
  message: unknown,
  member: string,
  names: readonly string[],
): EventContent {
  const written = names.map((name) => readPassage(message, member, name))
    .filter((words) => words !== undefined);
  return { ...content, message: [content.message, ...written].join(", ") };
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
