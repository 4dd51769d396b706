/**
 * Webhooks of Evolution API v2 (page Webhooks): `messages.upsert`, `messages.edited`,
 * `messages.delete`, `send.message`, `messages.update` and `connection.update`, in every spelling of
 * the event name. `data` is one item or a list.
 */
import {
  chooseAddresses,
  chooseChat,
  type EventAddresses,
  isGroupAddress,
  normalizeAddress,
  readGroupAddress,
  readSessionPhone,
} from "../webhooks/addresses.ts";
import {
  attributeToAuthor,
  toAuthor,
  toGroupMember,
  toGroupStatus,
  toMessageOrReaction,
  toMissedCall,
  toNackError,
} from "../webhooks/content.ts";
import {
  readIsoTime,
  readList,
  readName,
  readPersonName,
  readTime,
  readUrl,
} from "../webhooks/fields.ts";
import { readEditedContent, readEvolutionContent, readQuotedId } from "./event_content.ts";
import { readPresence } from "../webhooks/presence.ts";
import { readPollVotes } from "./poll_votes.ts";
import { isEditMessage, readProtocolMessage } from "./wrapped_message.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { MessageAuthor } from "../../model/message_author.ts";
import type {
  ConnectionEvent,
  ContactNameEvent,
  MessageDeletionEvent,
  MessageEditEvent,
  MessageEvent,
  PresenceEvent,
  ProviderEvent,
  ReactionEvent,
  StatusEvent,
} from "../webhooks/provider_event.ts";

/**
 * Reads the events of one payload. Given the instance's own name, skips events of other instances,
 * because one webhook may serve a whole server. Never throws.
 */
export function readEvolutionEvents(
  payload: unknown,
  instanceName?: string | undefined,
): Iterable<ProviderEvent | undefined> {
  const named = readText(payload, "instance");
  if (named !== undefined && instanceName !== undefined && named !== instanceName) return [];
  const items = listItems(payload);
  switch (readText(payload, "event")?.toLowerCase().replace(/[_-]/g, ".")) {
    case "messages.upsert":
      return readEach(
        items,
        (item) =>
          readRevocation(readProtocolMessage(item)) ??
            readMessageEvent(item, readValue(payload, "sender")),
      );
    case "messages.delete":
      return readEach(items, readDeletion);
    case "messages.edited":
    case "send.message.update":
      return readEach(
        items,
        (item) => readRevocation(item) ?? readEdit(item, readValue(payload, "sender")),
      );
    case "send.message":
      return readEach(items, (item) => readSending(item, readValue(payload, "sender")));
    case "messages.update":
      return readEach(items, (item) =>
        readPollVotes(item, {
          own: readValue(payload, "sender"),
          toldAt: readValue(payload, "date_time"),
        }) ?? readStatus(item));
    case "call":
      return readEach(items, readCall);
    case "contacts.update":
      return readEach(items, readProfile);
    case "presence.update":
      return readEach(items, readPresences);
    case "connection.update":
      return readEach(items, (item) => readConnection(item, readIsoTime(payload, "date_time")));
    default:
      return [];
  }
}

/** The events of items, and undefined for an item without any. */
function* readEach(
  items: readonly unknown[],
  read: (item: unknown) => readonly ProviderEvent[],
): Generator<ProviderEvent | undefined, void, void> {
  for (const item of items) {
    const events = read(item);
    if (events.length === 0) yield undefined;
    else yield* events;
  }
}

/** As Baileys tells it: the states of a chat's persons, by their addresses. */
function readPresences(data: unknown): PresenceEvent[] {
  const presences = readValue(data, "presences");
  const states = typeof presences === "object" && presences !== null
    ? Object.values(presences)
    : [];
  return readPresence(
    readValue(data, "id"),
    states.map((state) => readValue(state, "lastKnownPresence")),
  );
}

function listItems(payload: unknown): readonly unknown[] {
  const data = readValue(payload, "data");
  return Array.isArray(data) ? data : [data];
}

function readMessageEvent(data: unknown, own: unknown): (MessageEvent | ReactionEvent)[] {
  const isEcho = readValue(data, "key", "fromMe") === true;
  const isGroup = isGroupAddress(readValue(data, "key", "remoteJid"));
  const isEdit = isEditMessage(data);
  const edited = isEdit ? readId(readProtocolMessage(data), "key", "id") : undefined;
  const providerMessageId = edited ?? readId(data, "key", "id");
  const addresses = readAddresses(data, isEcho, own);
  const content = readEvolutionContent(data);
  if (providerMessageId === undefined || addresses === undefined || content === undefined) {
    return [];
  }
  return [toMessageOrReaction({
    kind: "message",
    origin: isEcho ? "echo" : "inbound",
    ...(isEcho ? { mayBeOurs: true } : {}),
    ...(isEdit ? { isEdit } : {}),
    ...(content.messageType === "poll_vote" && !isEcho ? { mayRepeat: true } : {}),
    providerMessageId,
    ...addresses,
    // `pushName` is the author's name. In an echo or a group, the author is not the contact.
    contactName: isEcho || isGroup ? undefined : readPersonName(data, "pushName"),
    ...(isGroup && !isEcho ? attributeToAuthor(content, readAuthor(data)) : content),
    sentAt: readTime(data, "s", "messageTimestamp"),
    isGroup,
    quotedProviderMessageId: readQuotedId(data) ?? content.quotedProviderMessageId,
  })];
}

/**
 * The addresses of the chat: phone and hidden identity (`remoteJidAlt`). Older versions send
 * `senderPn` and `senderLid` instead. Those belong to the author, who is ourselves in an echo; there
 * some versions tell our own number as `remoteJidAlt` too.
 */
function readAddresses(data: unknown, isEcho: boolean, own: unknown): EventAddresses | undefined {
  const remoteJid = readValue(data, "key", "remoteJid");
  if (isGroupAddress(remoteJid)) return readGroupAddress(remoteJid);
  const chat = [remoteJid, readValue(data, "key", "remoteJidAlt")];
  const author = ["senderPn", "senderLid"].map((key) => readValue(data, "key", key));
  return isEcho ? chooseChat(chat, [own, ...author]) : chooseAddresses([...chat, ...author]);
}

function readAuthor(data: unknown): MessageAuthor | undefined {
  return toAuthor(
    readName(data, "pushName"),
    chooseAddresses([
      readValue(data, "key", "participant"),
      readValue(data, "key", "participantAlt"),
    ]),
  );
}

/**
 * Reads WhatsApp's own edit message. `fromMe` and `remoteJid` are from the author's point of view: a
 * contact's edit shows our own address, and a hidden one may be ours or the contact's. Then the edit is
 * of the message with its id, whatever the chat.
 */
function readEdit(data: unknown, own: unknown): (MessageEvent | MessageEditEvent)[] {
  const providerMessageId = readId(data, "key", "id");
  const content = readEditedContent(data);
  const message = content?.message;
  if (providerMessageId === undefined || content === undefined || message === undefined) return [];
  const chat = readChatOfEdit(data, own);
  if (chat === undefined) return [{ kind: "message_edit", providerMessageId, message }];
  const isEcho = readValue(data, "key", "fromMe") === true;
  return [{
    kind: "message",
    origin: isEcho ? "echo" : "inbound",
    isEdit: true,
    providerMessageId,
    ...chat,
    ...content,
    isGroup: false,
  }];
}

/** The contact's addresses, where the edit's key is known to show them: a phone that is not ours. */
function readChatOfEdit(data: unknown, own: unknown): EventAddresses | undefined {
  const remoteJid = readValue(data, "key", "remoteJid");
  const chat = isGroupAddress(remoteJid) ? undefined : normalizeAddress(remoteJid);
  const ownAddress = normalizeAddress(own);
  return chat === undefined || !/^\d+$/.test(chat) || ownAddress === undefined ||
      chat === ownAddress
    ? undefined
    : chooseAddresses([remoteJid]);
}

/** WhatsApp's own notice that its author deletes a message for everyone, by name and by number. */
const revocations: readonly unknown[] = ["REVOKE", 0];

/**
 * Reads a notice, which is `protocolMessage` in a message and itself the `data` of `messages.edited`
 * (source, 2.3.7: the only event of a deletion whose message Evolution has not stored). Undefined for what
 * is no such notice.
 */
function readRevocation(message: unknown): MessageDeletionEvent[] | undefined {
  return revocations.includes(readValue(message, "type"))
    ? toDeletion(readId(message, "key", "id"))
    : undefined;
}

/** `data` is the message's key (source, 2.3.7), or the stored message with its `key`. */
function readDeletion(data: unknown): MessageDeletionEvent[] {
  return toDeletion(readId(data, "key", "id") ?? readId(data, "id"));
}

function toDeletion(providerMessageId: string | undefined): MessageDeletionEvent[] {
  return providerMessageId === undefined ? [] : [{ kind: "message_deletion", providerMessageId }];
}

/** Reads a message sent through the API. This event often arrives before the API call returns. */
function readSending(data: unknown, own: unknown): StatusEvent[] {
  const providerMessageId = readId(data, "key", "id");
  if (providerMessageId === undefined) return [];
  const at = readTime(data, "s", "messageTimestamp");
  const addresses = readAddresses(data, true, own);
  const content = readEvolutionContent(data);
  const sent = addresses === undefined || content === undefined
    ? undefined
    : { ...addresses, messageType: content.messageType, message: content.message };
  return [{ kind: "status", providerMessageId, status: "sent", at, sent }];
}

/** WhatsApp's status names, and Meta's, which Evolution's Cloud API channel passes on. */
const statuses: Readonly<Record<string, StatusEvent["status"]>> = {
  ERROR: "failed",
  SERVER_ACK: "sent",
  DELIVERY_ACK: "delivered",
  READ: "read",
  PLAYED: "read",
  SENT: "sent",
  DELIVERED: "delivered",
  FAILED: "failed",
};

/** The status names by their numbers in WhatsApp's protocol, as Baileys defines them. */
const numberedWords = ["ERROR", "PENDING", "SERVER_ACK", "DELIVERY_ACK", "READ", "PLAYED"];

/**
 * Reads a status update. Updates have no time. The message id, not `fromMe`, identifies our
 * messages: the Cloud API channel sends `fromMe: false` for ours too (source, 2.3.6: it compares a
 * number with a JID). An update without a status, such as an edit or a vote, is called `SERVER_ACK`
 * (source, 2.3.7), which is true of it, and `DELETED` by older versions, which is no news: of a deletion
 * `messages.delete` and `messages.edited` tell.
 */
function readStatus(data: unknown): StatusEvent[] {
  const providerMessageId = readId(data, "keyId") ?? readId(data, "key", "id");
  const word = readText(data, "status") ?? readNumberedWord(data) ?? "";
  const known = Object.hasOwn(statuses, word) ? statuses[word] : undefined;
  if (providerMessageId === undefined || known === undefined) return [];
  const isGroup = isGroupAddress(
    readValue(data, "remoteJid") ?? readValue(data, "key", "remoteJid"),
  );
  const status = isGroup ? toGroupStatus(known) : known;
  const member = isGroup ? toGroupMember(known, readMember(data)) : undefined;
  const [number] = readList(data, "update", "messageStubParameters");
  const error = status === "failed" ? toNackError(word, number) : undefined;
  return [{ kind: "status", providerMessageId, status, error, member }];
}

/** Who of a group an update is about: beside the id, or in the message's key. */
function readMember(data: unknown): MessageAuthor | undefined {
  return toAuthor(
    undefined,
    chooseAddresses([
      readValue(data, "participant"),
      readValue(data, "participantAlt"),
      readValue(data, "key", "participant"),
      readValue(data, "key", "participantAlt"),
    ]),
  );
}

/**
 * Reads Baileys' own form, which Evolution passes on unchanged: `{key, update: {status}}`. Of a message that
 * WhatsApp has refused after all, `update.messageStubParameters` begins with WhatsApp's number (Evolution API
 * issues 2642 and 2653).
 */
function readNumberedWord(data: unknown): string | undefined {
  const number = readValue(data, "update", "status");
  return typeof number === "number" ? numberedWords[number] : undefined;
}

/** A call that rang out or that the contact gave up; an answered or rejected one is no news here. */
function readCall(data: unknown): MessageEvent[] {
  const id = readId(data, "id");
  const addresses = chooseAddresses([readValue(data, "from"), readValue(data, "chatId")]);
  const isMissed = ["timeout", "terminate"].includes(readText(data, "status") ?? "");
  if (!isMissed || id === undefined || addresses === undefined) return [];
  return [{
    kind: "message",
    origin: "inbound",
    providerMessageId: id,
    ...addresses,
    ...toMissedCall(readValue(data, "isVideo") === true ? "video" : "voice", id),
    sentAt: readIsoTime(data, "date"),
    isGroup: false,
  }];
}

/** What a contact calls itself, and its picture. Evolution tells it of the phone's whole address book. */
function readProfile(data: unknown): ContactNameEvent[] {
  const addresses = chooseAddresses([
    readValue(data, "remoteJid") ?? readValue(data, "id"),
    readValue(data, "remoteJidAlt"),
  ]);
  const name = readPersonName(data, "pushName");
  const profilePictureUrl = readUrl(data, "profilePicUrl") ?? readUrl(data, "profilePictureUrl");
  const isGroup = isGroupAddress(readValue(data, "remoteJid") ?? readValue(data, "id"));
  if (isGroup || addresses === undefined || (name ?? profilePictureUrl) === undefined) return [];
  return [{ kind: "contact_name", ...addresses, source: "profile", name, profilePictureUrl }];
}

/** The session's states; `connecting` is a step between them. */
const connectionStates: Readonly<Record<string, ConnectionEvent["state"]>> = {
  open: "connected",
  close: "disconnected",
  refused: "disconnected",
};

/** Reads the session's state. Its time is the server's local one, which orders such events alone. */
function readConnection(data: unknown, at: string | undefined): ConnectionEvent[] {
  const word = readText(data, "state") ?? readText(data, "status") ?? "";
  const state = Object.hasOwn(connectionStates, word) ? connectionStates[word] : undefined;
  if (state === undefined) return [];
  const code = readValue(data, "statusReason");
  const reason = typeof code === "number" ? `${word} (${code})` : word;
  if (state === "disconnected") return [{ kind: "connection", state, at, reason }];
  // `wuid`: the session's own address.
  const pairedPhone = readSessionPhone(readValue(data, "wuid"));
  return [{
    ...{ kind: "connection", state, at, reason: undefined },
    ...(pairedPhone === undefined ? {} : { pairedPhone }),
  }];
}
