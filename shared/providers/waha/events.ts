/** Webhooks of WAHA (page Events). One payload is one event of one session, named by `event`. */
import {
  chooseAddresses,
  chooseChat,
  type EventAddresses,
  isGroupAddress,
  readGroupAddress,
  readSessionPhone,
  toIdentity,
} from "../webhooks/addresses.ts";
import {
  attributeToAuthor,
  type EventContent,
  toAuthor,
  toGroupMember,
  toGroupStatus,
  toMessageOrReaction,
  toMissedCall,
  toNackError,
  toPart,
  toReaction,
} from "../webhooks/content.ts";
import {
  readEnd,
  readLabel,
  readList,
  readMessage,
  readName,
  readPersonName,
  readTime,
} from "../webhooks/fields.ts";
import type {
  ConnectionEvent,
  LimitEvent,
  MessageDeletionEvent,
  MessageEditEvent,
  MessageEvent,
  ProviderEvent,
  ReactionEvent,
  StatusEvent,
} from "../webhooks/provider_event.ts";
import { readPresence } from "../webhooks/presence.ts";
import { readCount } from "../webhooks/values.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { ToldAllowance } from "../../model/allowance.ts";
import type { MessageAuthor } from "../../model/message_author.ts";
import { isEditMessage } from "../evolution/wrapped_message.ts";
import { readWahaContent, readWahaQuote } from "./event_content.ts";
import { parseWahaId, readBareId } from "./message_id.ts";
import { readProtocolMessage } from "./protocol_message.ts";
import { readWahaConnection } from "./session_status.ts";

const MAX_OPTIONS = 100;

/** What surrounds an event: the session's own addresses, its number first, and when WAHA told it. */
interface Surroundings {
  readonly own: readonly unknown[];
  readonly toldAt: string | undefined;
}

/**
 * Reads the event of one payload. Given the instance's own session, skips events of other sessions,
 * because one webhook may serve a whole server. Never throws.
 */
export function readWahaEvents(payload: unknown, session?: string | undefined): ProviderEvent[] {
  const named = readText(payload, "session");
  if (named !== undefined && session !== undefined && named !== session) return [];
  const event = readValue(payload, "payload");
  const around: Surroundings = {
    own: ["id", "lid", "jid"].map((name) => readValue(payload, "me", name)),
    toldAt: readTime(payload, "ms", "timestamp"),
  };
  switch (readLabel(payload, "event")?.toLowerCase()) {
    // A webhook that takes both tells a message of a contact twice, under one id.
    case "message":
    case "message.any":
      return readMessageEvent(event, around);
    case "message.reaction":
      return readReaction(event, around);
    case "message.ack":
    case "message.ack.group":
      return readStatus(event, around);
    case "message.edited":
      return readEdit(event, around);
    case "message.revoked":
      return readRevocation(event);
    case "poll.vote":
      return readVote(event, around, false);
    case "poll.vote.failed":
      return readVote(event, around, true);
    case "event.response":
      return readEventAnswer(event, around);
    case "call.rejected":
      return readCall(event);
    case "presence.update":
      return readPresence(
        readValue(event, "id"),
        readList(event, "presences").map((presence) => readValue(presence, "lastKnownPresence")),
      );
    case "session.status":
      return [...readConnection(event, around), ...readLimits(event, around)];
    default:
      return [];
  }
}

/** Who wrote a message and where, with the times and names that all kinds of message have. */
type Written = Pick<
  MessageEvent,
  | "origin"
  | "mayBeOurs"
  | "isOfOtherApp"
  | "providerMessageId"
  | "address"
  | "otherAddresses"
  | "contactName"
  | "sentAt"
  | "isGroup"
>;

/** The common part of a message's event; undefined for one that names no message or no person. */
function readWritten(event: unknown, around: Surroundings): Written | undefined {
  const id = readMessageId(event);
  const isEcho = readFromMe(event);
  const addresses = isEcho ? readEchoChat(event, around) : readSender(event);
  if (id === undefined || addresses === undefined) return undefined;
  const isGroup = isGroupAddress(addresses.address);
  return {
    origin: isEcho ? "echo" : "inbound",
    ...(isEcho ? readSource(event) : {}),
    providerMessageId: parseWahaId(id).bare,
    ...addresses,
    // An echo's name is our own, a group's that of one member.
    contactName: isEcho || isGroup ? undefined : readAuthorName(event, readPersonName),
    sentAt: readTime(event, "s", "timestamp") ?? readTime(event, "ms", "timestamp"),
    isGroup,
  };
}

/** The full id: a text, or the object of an engine. */
function readMessageId(event: unknown): string | undefined {
  return readId(event, "id", "_serialized") ?? readId(event, "id", "id") ?? readId(event, "id");
}

function readFromMe(event: unknown): boolean {
  const told = readValue(event, "fromMe");
  return typeof told === "boolean" ? told : parseWahaId(readMessageId(event) ?? "").fromMe === true;
}

/** `api`: through WAHA, so by us or by another program. `app`: typed on the phone. */
function readSource(event: unknown): Pick<MessageEvent, "mayBeOurs" | "isOfOtherApp"> {
  const source = readLabel(event, "source");
  return source === "api"
    ? { mayBeOurs: true, isOfOtherApp: true }
    : { mayBeOurs: source !== "app" };
}

/**
 * The addresses of a person whom the session shows by phone or by hidden identity: `pn` since 2026.8.1, the
 * engine's own members before.
 */
const alternatives: readonly (readonly string[])[] = [
  ["pn"],
  ["_data", "key", "remoteJidAlt"],
  ["_data", "key", "senderPn"],
  ["_data", "key", "senderLid"],
];

function readAll(event: unknown, paths: readonly (readonly string[])[]): unknown[] {
  return paths.map((path) => readValue(event, ...path));
}

function readSender(event: unknown): EventAddresses | undefined {
  const from = readValue(event, "from") ?? parseWahaId(readMessageId(event) ?? "").chat;
  if (isGroupAddress(from)) return readGroupAddress(from);
  return chooseAddresses([
    from,
    ...readAll(event, alternatives),
    readValue(event, "_data", "Info", "SenderAlt"),
  ]);
}

/**
 * The chat of what the phone wrote: `to`, which no version confuses (WAHA issue 2241), else that of the id.
 * A message whose two ends are the session's own is a note to self; one whose ends are equal, while the
 * session's own address is unknown, names no contact for certain.
 */
function readEchoChat(event: unknown, { own }: Surroundings): EventAddresses | undefined {
  const [from, to] = [readValue(event, "from"), readValue(event, "to")];
  const idChat = parseWahaId(readMessageId(event) ?? "").chat;
  const ours = new Set(own.map(toIdentity).filter((item) => item !== undefined));
  if (ours.size === 0 && toIdentity(from) !== undefined && toIdentity(from) === toIdentity(to)) {
    return undefined;
  }
  const chat = [to, idChat, from].find((address) =>
    isGroupAddress(address) || toIdentity(address) !== undefined
  );
  if (isGroupAddress(chat)) return readGroupAddress(chat);
  return chooseChat([
    chat,
    ...readAll(event, alternatives),
    readValue(event, "_data", "Info", "RecipientAlt"),
    // The same chat by its other address.
    ...(toIdentity(chat) === toIdentity(to) ? [idChat] : []),
  ], own);
}

function readAuthor(event: unknown): MessageAuthor | undefined {
  return toAuthor(
    readAuthorName(event, readName),
    chooseAddresses([
      readValue(event, "participant"),
      ...readAll(event, [
        ["pn"],
        ["_data", "key", "participantAlt"],
        ["_data", "key", "participantPn"],
        ["_data", "Info", "Sender"],
        ["_data", "Info", "SenderAlt"],
      ]),
    ].filter((address) => !isGroupAddress(address))),
  );
}

/** The name that the author uses, by the engine: WEBJS, NOWEB, GOWS. */
function readAuthorName(event: unknown, read: typeof readName): string | undefined {
  return read(event, "_data", "notifyName") ?? read(event, "_data", "pushName") ??
    read(event, "_data", "Info", "PushName");
}

function readMessageEvent(
  event: unknown,
  around: Surroundings,
): (MessageEvent | ReactionEvent)[] {
  // `message.edited` tells it.
  if (isEditMessage({ message: readProtocolMessage(event) })) return [];
  const content = readWahaContent(event);
  return content === undefined ? [] : toMessages(event, around, content);
}

function toMessages(
  event: unknown,
  around: Surroundings,
  content: EventContent,
): (MessageEvent | ReactionEvent)[] {
  const written = readWritten(event, around);
  if (written === undefined) return [];
  const { origin, isGroup } = written;
  return [toMessageOrReaction({
    kind: "message",
    ...written,
    ...(isGroup && origin === "inbound" ? attributeToAuthor(content, readAuthor(event)) : content),
    ...(content.messageType === "poll_vote" && origin === "inbound" ? { mayRepeat: true } : {}),
    quotedProviderMessageId: content.quotedProviderMessageId ?? readWahaQuote(event),
  })];
}

/** Its timestamp has a fraction of a second. */
function readReaction(event: unknown, around: Surroundings): (MessageEvent | ReactionEvent)[] {
  const messageId = readBareId(event, "reaction", "messageId");
  return messageId === undefined
    ? []
    : toMessages(event, around, toReaction(readLabel(event, "reaction", "text"), messageId));
}

/** By name, and by the number that stands beside it. */
const statuses: Readonly<Record<string, StatusEvent["status"]>> = {
  ERROR: "failed",
  SERVER: "sent",
  DEVICE: "delivered",
  READ: "read",
  PLAYED: "read",
};
const numberedAcks: Readonly<Record<number, string>> = {
  [-1]: "ERROR",
  1: "SERVER",
  2: "DEVICE",
  3: "READ",
  4: "PLAYED",
};

/**
 * The status of a message of ours. One of a contact's message says that we have read it. NOWEB tells in
 * `error` by which number WhatsApp has refused a message that it had answered as sent (source, 2026.7; WAHA
 * issue 2166).
 */
function readStatus(event: unknown, { toldAt }: Surroundings): StatusEvent[] {
  const id = readMessageId(event);
  const number = readValue(event, "ack");
  const word = readLabel(event, "ackName") ??
    (typeof number === "number" ? numberedAcks[number] : undefined) ?? "";
  const known = Object.hasOwn(statuses, word) ? statuses[word] : undefined;
  if (id === undefined || known === undefined || !readFromMe(event)) return [];
  const { bare, chat } = parseWahaId(id);
  const isGroup = [chat, readValue(event, "from"), readValue(event, "to")].some(isGroupAddress);
  const status = isGroup ? toGroupStatus(known) : known;
  return [{
    kind: "status",
    providerMessageId: bare,
    status,
    at: toldAt,
    error: status === "failed" ? toNackError(word, readValue(event, "error", "code")) : undefined,
    member: isGroup ? toGroupMember(known, readAuthor(event)) : undefined,
  }];
}

/** `id` is that of the edit, except in WEBJS; `editedMessageId` is the message. */
function readEdit(event: unknown, around: Surroundings): (MessageEvent | MessageEditEvent)[] {
  const providerMessageId = readBareId(event, "editedMessageId") ??
    parseWahaId(readMessageId(event) ?? "").bare;
  const content = readWahaContent(event);
  const message = readMessage(event, "body") ?? content?.message;
  if (providerMessageId === "" || message === undefined) return [];
  const written = readWritten(event, around);
  if (written === undefined) return [{ kind: "message_edit", providerMessageId, message }];
  const { isOfOtherApp: _, ...rest } = written;
  return [{
    kind: "message",
    ...rest,
    isEdit: true,
    messageType: content?.messageType ?? "text",
    message,
    providerMessageId,
  }];
}

function readRevocation(event: unknown): MessageDeletionEvent[] {
  const providerMessageId = readBareId(event, "revokedMessageId") ??
    readBareId(event, "before", "id") ?? readBareId(event, "after", "id");
  return providerMessageId === undefined ? [] : [{ kind: "message_deletion", providerMessageId }];
}

/**
 * A vote: all that the person chooses now. One that WAHA could not decrypt comes without its options. Our own
 * are left out.
 */
function readVote(event: unknown, around: Surroundings, hasFailed: boolean): MessageEvent[] {
  const vote = readValue(event, "vote");
  const pollId = readBareId(event, "poll", "id");
  if (readFromMe(vote)) return [];
  const group = [readValue(vote, "to"), parseWahaId(readMessageId(vote) ?? "").chat]
    .find(isGroupAddress);
  const options = readList(vote, "selectedOptions").slice(0, MAX_OPTIONS)
    .map((option) => readName(option)).filter((option) => option !== undefined);
  const part = { ...(pollId === undefined ? {} : { pollId }), options };
  const content: EventContent = {
    ...toPart("poll_vote", "pollVote", part),
    ...(hasFailed ? { isUnreadable: true } : {}),
    quotedProviderMessageId: pollId,
  };
  const told = typeof group === "string"
    ? { ...vote as object, from: group, participant: readValue(vote, "from") }
    : vote;
  return toMessages(told, around, content).filter((message) => message.kind === "message");
}

function readEventAnswer(event: unknown, around: Surroundings): (MessageEvent | ReactionEvent)[] {
  const answer = readLabel(event, "eventResponse", "response")?.toLowerCase();
  const eventId = readBareId(event, "eventCreationKey", "id");
  if (answer === undefined) return [];
  const part = { answer, ...(eventId === undefined ? {} : { eventId }) };
  return toMessages(event, around, {
    ...toPart("other", "eventAnswer", part),
    quotedProviderMessageId: eventId,
  });
}

/** A call that ended before anybody answered it. */
function readCall(event: unknown): MessageEvent[] {
  const id = readId(event, "id");
  const from = readValue(event, "from");
  const addresses = chooseAddresses([from, readValue(event, "pn")]);
  const isOfGroup = readValue(event, "isGroup") === true || isGroupAddress(from);
  if (id === undefined || addresses === undefined || isOfGroup) return [];
  return [{
    kind: "message",
    origin: "inbound",
    providerMessageId: id,
    ...addresses,
    ...toMissedCall(readValue(event, "isVideo") === true ? "video" : "voice", id),
    sentAt: readTime(event, "s", "timestamp"),
    isGroup: false,
  }];
}

/** The session with the phone. A step between its states is no news. */
function readConnection(event: unknown, { own, toldAt: at }: Surroundings): ConnectionEvent[] {
  const status = readLabel(event, "status")?.toUpperCase();
  const connection = readWahaConnection(status);
  if (connection === undefined || connection === "connecting") return [];
  const pairedPhone = readSessionPhone(own[0]);
  return connection === "connected"
    ? [{
      kind: "connection",
      state: "connected",
      at,
      ...pairedPhone === undefined ? {} : { pairedPhone },
    }]
    : [{ kind: "connection", state: "disconnected", at, reason: status }];
}

/**
 * What WhatsApp lets the account do, beside the status WORKING: a lock on new chats for a time, and a quota
 * of them. A quota of 0 is WAHA's placeholder where the account is eligible for none, -1 is none.
 */
function readLimits(event: unknown, { toldAt: at }: Surroundings): LimitEvent[] {
  const lock = readValue(event, "data", "reachoutTimelock");
  const isLocked = readValue(lock, "isActive");
  const capping = readValue(event, "data", "messageCapping");
  const newChats = readQuota(capping);
  const limits: Omit<LimitEvent, "kind" | "at">[] = [];
  if (typeof isLocked === "boolean") {
    limits.push({
      change: isLocked ? "REACHOUT_TIMELOCK" : "REACHOUT_TIMELOCK_ENDED",
      allowance: {
        timeLock: {
          isActive: isLocked,
          until: readEnd(readValue(lock, "timeEnforcementEnds")) ?? null,
          kind: readLabel(lock, "enforcementType") ?? null,
        },
      },
    });
  }
  if (newChats !== undefined) {
    limits.push({
      change: `MESSAGE_CAPPING_${readLabel(capping, "cappingStatus") ?? "NONE"}`,
      ...(newChats === null ? {} : { limit: String(newChats.quota) }),
      allowance: { newChats },
    });
  }
  return limits.map((told) => ({ kind: "limit", at, ...told }));
}

/** The quota of new chats: null for no quota, undefined where nothing is told of it. */
function readQuota(capping: unknown): ToldAllowance["newChats"] {
  if (readValue(capping, "totalQuota") === -1) return null;
  const quota = readCount(capping, "totalQuota");
  const isPlaceholder = quota === 0 &&
    ["mvStatus", "oteStatus"].every((name) => readLabel(capping, name) === "NOT_ELIGIBLE");
  if (quota === undefined || isPlaceholder) return undefined;
  const used = readCount(capping, "usedQuota") ?? null;
  return { used, quota, until: readEnd(readValue(capping, "cycleEnd")) ?? null };
}
