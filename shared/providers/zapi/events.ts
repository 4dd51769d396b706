/**
 * Webhooks of Z-API (pages Webhooks: Ao receber, Ao enviar, Status da mensagem, Ao conectar, Ao
 * desconectar). One payload is one
 * event, identified by `type`.
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
  readReason,
  toAuthor,
  toGroupMember,
  toGroupStatus,
  toMessageOrReaction,
  toStatusError,
} from "../webhooks/content.ts";
import {
  readList,
  readMessage,
  readName,
  readPersonName,
  readTime,
  readUrl,
} from "../webhooks/fields.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { MessageAuthor } from "../../model/message_author.ts";
import type {
  ConnectionEvent,
  MessageDeletionEvent,
  MessageEvent,
  ProviderEvent,
  ReactionEvent,
  StatusEvent,
} from "../webhooks/provider_event.ts";
import { readPresence } from "../webhooks/presence.ts";
import { newChatLocked } from "../whatsapp_refusal.ts";
import { isHiddenFile, readZapiContent } from "./event_content.ts";

/**
 * Reads the events of one payload. Given the instance's own id, skips events of other instances.
 * Never throws.
 */
export function readZapiEvents(
  payload: unknown,
  gatewayInstanceId?: string | undefined,
): ProviderEvent[] {
  const named = readText(payload, "instanceId");
  const isForeign = named !== undefined && gatewayInstanceId !== undefined &&
    named.toLowerCase() !== gatewayInstanceId.toLowerCase();
  if (isForeign) return [];
  switch (readText(payload, "type")) {
    case "ReceivedCallback":
      return readText(payload, "notification") === "REVOKE"
        ? readRevocation(payload)
        : readMessageEvent(payload);
    case "MessageStatusCallback":
      return readStatuses(payload);
    case "DeliveryCallback":
      return readDelivery(payload);
    case "ConnectedCallback":
      return [readConnection(payload, "connected")];
    case "PresenceChatCallback":
      return readPresence(readValue(payload, "phone"), [readValue(payload, "status")]);
    case "DisconnectedCallback":
      return [readConnection(payload, "disconnected")];
    default:
      return [];
  }
}

/**
 * Whether a payload yields no event: a message that the phone has not decrypted yet (it is sent again under
 * the same id; that of a contact which can be seen once is not), and a channel's posts.
 */
function isIgnored(payload: unknown): boolean {
  const isTrue = (key: string): boolean => readValue(payload, key) === true;
  return isTrue("waitingMessage") && (isTrue("fromMe") || !isHiddenFile(payload)) ||
    isTrue("isNewsletter");
}

function readMessageEvent(payload: unknown): (MessageEvent | ReactionEvent)[] {
  if (isIgnored(payload)) return [];
  const isEcho = readValue(payload, "fromMe") === true;
  const phone = readValue(payload, "phone");
  const isGroup = readValue(payload, "isGroup") === true || isGroupAddress(phone);
  const providerMessageId = readId(payload, "messageId");
  const addresses = readAddresses(payload, isEcho, isGroup);
  const content = readZapiContent(payload);
  if (providerMessageId === undefined || addresses === undefined || content === undefined) {
    return [];
  }
  return [toMessageOrReaction({
    kind: "message",
    origin: isEcho ? "echo" : "inbound",
    ...(isEcho ? readSender(payload) : {}),
    providerMessageId,
    ...addresses,
    contactName: readContactName(payload, isEcho || isGroup),
    ...(isEcho || isGroup ? {} : readPicture(payload)),
    ...(isGroup && !isEcho ? attributeToAuthor(content, readAuthor(payload)) : content),
    ...(readValue(payload, "isEdit") === true ? { isEdit: true } as const : {}),
    sentAt: readTime(payload, "ms", "momment"),
    isGroup,
    chatName: readName(payload, "chatName"),
    quotedProviderMessageId: readId(payload, "referenceMessageId") ??
      content.quotedProviderMessageId,
  })];
}

/** Who sent an echo: through the API it was we, or another program that uses the same instance. */
function readSender(payload: unknown): Pick<MessageEvent, "mayBeOurs" | "isOfOtherApp"> {
  const isOfApi = readValue(payload, "fromApi") === true;
  const mayBeOurs = readValue(payload, "fromApi") !== false;
  return isOfApi && readValue(payload, "isEdit") !== true
    ? { mayBeOurs, isOfOtherApp: true }
    : { mayBeOurs };
}

/**
 * A message that its author deleted for everyone. Z-API's pages do not show this notification. Receivers
 * that others have published find the message in `messageId`, some first in `referenceMessageId`.
 */
function readRevocation(payload: unknown): MessageDeletionEvent[] {
  const providerMessageId = readId(payload, "referenceMessageId") ?? readId(payload, "messageId");
  return providerMessageId === undefined ? [] : [{ kind: "message_deletion", providerMessageId }];
}

/** `senderLid` is the author's: a member's in a group, our own in an echo. */
function readAddresses(
  payload: unknown,
  isEcho: boolean,
  isGroup: boolean,
): EventAddresses | undefined {
  const phone = readValue(payload, "phone");
  if (isGroup) return readGroupAddress(phone);
  const chat = [phone, readValue(payload, "chatLid")];
  const author = readValue(payload, "senderLid");
  return isEcho
    ? chooseChat(chat, [readValue(payload, "connectedPhone"), author])
    : chooseAddresses([...chat, author]);
}

/** `chatName` is the name of the contact or group; `senderName` is the author's. */
function readContactName(payload: unknown, isChatAlone: boolean): string | undefined {
  const author = isChatAlone ? undefined : readPersonName(payload, "senderName");
  return author ?? readPersonName(payload, "chatName");
}

/** `senderPhoto` is the author's picture; older versions tell it as `photo`, which is the chat's. */
function readPicture(payload: unknown): Pick<MessageEvent, "profilePictureUrl"> {
  const profilePictureUrl = readUrl(payload, "senderPhoto") ?? readUrl(payload, "photo");
  return profilePictureUrl === undefined ? {} : { profilePictureUrl };
}

function readAuthor(payload: unknown): MessageAuthor | undefined {
  return toAuthor(
    readName(payload, "senderName"),
    chooseAddresses([
      readValue(payload, "participantPhone"),
      readValue(payload, "participantLid"),
      readValue(payload, "senderLid"),
    ]),
  );
}

/** Status events of our messages. `READ_BY_ME` concerns a message of the contact. */
const statuses: Readonly<Record<string, StatusEvent["status"]>> = {
  SENT: "sent",
  RECEIVED: "delivered",
  READ: "read",
  PLAYED: "read",
};

function readStatuses(payload: unknown): StatusEvent[] {
  const word = readText(payload, "status") ?? "";
  const known = Object.hasOwn(statuses, word) ? statuses[word] : undefined;
  if (known === undefined) return [];
  const isGroup = readValue(payload, "isGroup") === true ||
    isGroupAddress(readValue(payload, "phone"));
  const status = isGroup ? toGroupStatus(known) : known;
  const at = readTime(payload, "ms", "momment");
  const ids = readList(payload, "ids").map((id) => readId(id)).filter((id) => id !== undefined);
  const member = isGroup ? toGroupMember(known, readMember(payload)) : undefined;
  return [...new Set(ids)].map((providerMessageId) => ({
    kind: "status",
    providerMessageId,
    status,
    at,
    member,
  }));
}

/** Who of a group a status is about, named as the author of a group's message is. */
function readMember(payload: unknown): MessageAuthor | undefined {
  return toAuthor(
    undefined,
    chooseAddresses([
      readValue(payload, "participant"),
      readValue(payload, "participantPhone"),
      readValue(payload, "participantLid"),
    ]),
  );
}

/** Z-API's result of handing a queued message over to WhatsApp. */
function readDelivery(payload: unknown): StatusEvent[] {
  const providerMessageId = readId(payload, "messageId");
  if (providerMessageId === undefined) return [];
  const at = readTime(payload, "ms", "momment");
  const reason = readMessage(payload, "error");
  const hasFailed = ![undefined, null, false, ""].some((none) =>
    readValue(payload, "error") === none
  );
  if (!hasFailed) return [{ kind: "status", providerMessageId, status: "sent", at }];
  const recipient = normalizeAddress(readValue(payload, "phone"));
  const refusal = isShadowBan(payload) ? newChatLocked : { code: "delivery_failed" };
  const error = { ...toStatusError(refusal.code, [reason], recipient), ...refusal };
  return [{ kind: "status", providerMessageId, status: "failed", at, error }];
}

/**
 * Whether a message was refused for what Z-API calls a shadow ban: WhatsApp lets the number start no
 * conversations for a time (pages "On Send callback examples" and "Blocks and Bans"). Older versions tell it
 * in words alone.
 */
function isShadowBan(payload: unknown): boolean {
  return readText(payload, "errorCode") === "SHADOW_BAN" ||
    /\bshadow ?ban\b/i.test(readMessage(payload, "error") ?? "");
}

/** The session with the phone. `momment` is in seconds or in milliseconds, by the page. */
function readConnection(payload: unknown, state: ConnectionEvent["state"]): ConnectionEvent {
  const at = readTime(payload, "ms", "momment") ?? readTime(payload, "s", "momment");
  const reason = state === "connected" ? undefined : readReason(readValue(payload, "error"));
  const pairedPhone = state === "connected"
    ? readSessionPhone(readValue(payload, "phone"))
    : undefined;
  return {
    ...{ kind: "connection", state, at, reason },
    ...(pairedPhone === undefined ? {} : { pairedPhone }),
  };
}
