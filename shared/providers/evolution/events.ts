/**
 * Webhooks of Evolution API v2 (page Webhooks): `messages.upsert`, `messages.edited`, `send.message`
 * and `messages.update`, however the event is spelled; `data` is one item or a list of them.
 */
import {
  chooseAddresses,
  type EventAddresses,
  isGroupAddress,
  normalizeAddress,
  readGroupAddress,
} from "../webhooks/addresses.ts";
import { attributeToAuthor, toStatusError } from "../webhooks/content.ts";
import { readName, readPersonName, readTime } from "../webhooks/fields.ts";
import { readEditedWords, readEvolutionContent } from "./event_content.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type {
  MessageEditEvent,
  MessageEvent,
  ProviderEvent,
  StatusEvent,
} from "../webhooks/provider_event.ts";

/**
 * The events of one payload. With the instance's own name, what names another instance is left out:
 * a webhook may be set for a whole server. Never throws.
 */
export function readEvolutionEvents(
  payload: unknown,
  instanceName?: string | undefined,
): ProviderEvent[] {
  const named = readText(payload, "instance");
  if (named !== undefined && instanceName !== undefined && named !== instanceName) return [];
  const items = listItems(payload);
  switch (readText(payload, "event")?.toLowerCase().replace(/[_-]/g, ".")) {
    case "messages.upsert":
      return items.flatMap((item) => readMessageEvent(item, readValue(payload, "sender")));
    case "messages.edited":
      return items.flatMap(readEdit);
    case "send.message":
      return items.flatMap((item) => readSending(item, readValue(payload, "sender")));
    case "messages.update":
      return items.flatMap(readStatus);
    default:
      return [];
  }
}

function listItems(payload: unknown): readonly unknown[] {
  const data = readValue(payload, "data");
  return Array.isArray(data) ? data : [data];
}

function readMessageEvent(data: unknown, own: unknown): MessageEvent[] {
  const isEcho = readValue(data, "key", "fromMe") === true;
  const isGroup = isGroupAddress(readValue(data, "key", "remoteJid"));
  const providerMessageId = readId(data, "key", "id");
  const addresses = readAddresses(data, isEcho, own);
  const content = readEvolutionContent(data);
  if (providerMessageId === undefined || addresses === undefined || content === undefined) {
    return [];
  }
  return [{
    kind: "message",
    origin: isEcho ? "echo" : "inbound",
    ...(isEcho ? { mayBeOurs: true } : {}),
    providerMessageId,
    ...addresses,
    // `pushName` is the author's: not the contact's in an echo or a group.
    contactName: isEcho || isGroup ? undefined : readPersonName(data, "pushName"),
    ...(isGroup && !isEcho ? attributeToAuthor(content, readAuthor(data)) : content),
    sentAt: readTime(data, "s", "messageTimestamp"),
    isGroup,
  }];
}

/**
 * The chat's addresses, phone and hidden identity (`remoteJidAlt`, in older versions `senderPn` and
 * `senderLid`, which are the author's and so our own in an echo).
 */
function readAddresses(data: unknown, isEcho: boolean, own: unknown): EventAddresses | undefined {
  const remoteJid = readValue(data, "key", "remoteJid");
  if (isGroupAddress(remoteJid)) return readGroupAddress(remoteJid);
  const chat = [remoteJid, readValue(data, "key", "remoteJidAlt")];
  if (!isEcho) {
    const author = ["senderPn", "senderLid"].map((key) => readValue(data, "key", key));
    return chooseAddresses([...chat, ...author]);
  }
  const ownAddress = normalizeAddress(own);
  return chooseAddresses(chat.filter((jid) => normalizeAddress(jid) !== ownAddress));
}

function readAuthor(data: unknown): string | undefined {
  return readName(data, "pushName") ??
    chooseAddresses([
      readValue(data, "key", "participant"),
      readValue(data, "key", "participantAlt"),
    ])?.address;
}

/**
 * WhatsApp's own edit message. Its `fromMe` and `remoteJid` are the author's view, so the message is
 * known by its id alone.
 */
function readEdit(data: unknown): MessageEditEvent[] {
  const providerMessageId = readId(data, "key", "id");
  const message = readEditedWords(data);
  return providerMessageId === undefined || message === undefined
    ? []
    : [{ kind: "message_edit", providerMessageId, message }];
}

/** A message that was sent through the API: on its way, often before the call has its answer. */
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

/** WhatsApp's words, and Meta's own, which Evolution's integration of the Cloud API passes on. */
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

/** The words by their numbers in WhatsApp's protocol, as Baileys has them. */
const numberedWords = ["ERROR", "PENDING", "SERVER_ACK", "DELIVERY_ACK", "READ", "PLAYED"];

/**
 * Updates carry no time of their own. Whose message it is says its id, not `fromMe`: on the channel of
 * the Cloud API that is false for ours too (source, 2.3.6: it compares a number with a JID).
 */
function readStatus(data: unknown): StatusEvent[] {
  const providerMessageId = readId(data, "keyId") ?? readId(data, "key", "id");
  const word = readText(data, "status") ?? readNumberedWord(data) ?? "";
  const status = Object.hasOwn(statuses, word) ? statuses[word] : undefined;
  if (providerMessageId === undefined || status === undefined) return [];
  const error = status === "failed"
    ? toStatusError(word, ["WhatsApp did not take the message."], undefined)
    : undefined;
  return [{ kind: "status", providerMessageId, status, error }];
}

/** Baileys' own shape, passed on as it is: `{key, update: {status}}`. */
function readNumberedWord(data: unknown): string | undefined {
  const number = readValue(data, "update", "status");
  return typeof number === "number" ? numberedWords[number] : undefined;
}
