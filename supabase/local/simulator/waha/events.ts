/**
 * Webhook payloads of WAHA (pages Events and Receive messages), as the engine NOWEB gives them: the members of
 * all engines, and WhatsApp's own message object in `_data`.
 */
import type { ConnectionChange } from "../channel.ts";
import type { PhoneStatus, SimulatedChange, SimulatedReply } from "../records.ts";
import { addParts, type WireMembers } from "../part_writers.ts";
import { toChatId, writeId } from "./ids.ts";
import { wahaParts } from "./parts.ts";

/** The number of the company's connected phone. */
const companyChat = "551140001234@c.us";

/** A message on the connected phone, received or typed on it. */
export function composeWahaMessage(reply: SimulatedReply): Record<string, unknown> {
  const payload = addParts(describeMessage(reply), wahaParts, reply);
  return wrap(reply, nameEvent(reply), payload);
}

/** Some kinds have an event of their own. */
function nameEvent({ parts, writtenBy }: SimulatedReply): string {
  if (parts?.call !== undefined) return "call.rejected";
  if (parts?.reaction !== undefined) return "message.reaction";
  if (parts?.pollVote !== undefined) return "poll.vote";
  if (parts?.eventAnswer !== undefined) return "event.response";
  return writtenBy === "company" ? "message.any" : "message";
}

function describeMessage(reply: SimulatedReply): WireMembers {
  const isOwn = reply.writtenBy === "company";
  const { providerMessageId, waId, replyTo, receivedAt, content } = reply;
  const chat = toChatId(waId);
  const hasMedia = "mediaUrl" in content;
  return {
    id: writeId(chat, providerMessageId, isOwn),
    timestamp: Math.floor(Date.parse(receivedAt) / 1_000),
    from: isOwn ? companyChat : chat,
    fromMe: isOwn,
    source: "app",
    to: isOwn ? chat : companyChat,
    participant: null,
    // A file's caption stands here too; without one there is no text.
    body: "text" in content ? content.text : "title" in content ? content.title : null,
    hasMedia,
    media: hasMedia ? describeFile(content) : null,
    ack: isOwn ? 1 : 2,
    ackName: isOwn ? "SERVER" : "DEVICE",
    replyTo: replyTo === null ? null : { id: replyTo },
    vCards: [],
    _data: {
      key: { remoteJid: `${waId}@s.whatsapp.net`, fromMe: isOwn, id: providerMessageId },
      pushName: isOwn ? "" : reply.customerName,
      message: describeContent(reply),
    },
  };
}

function describeFile(
  { mediaUrl, fileName, file }: Extract<SimulatedReply["content"], { mediaUrl: string }>,
): WireMembers {
  return {
    url: mediaUrl,
    mimetype: file?.mimeType ?? "application/octet-stream",
    filename: fileName,
    error: null,
  };
}

/** The members of WhatsApp's own message object that hold what was written. */
function describeContent({ content }: SimulatedReply): WireMembers {
  switch (content.messageType) {
    case "text":
      return { conversation: content.text };
    case "none":
      return {};
    case "list_choice":
      return {
        listResponseMessage: {
          title: content.title,
          singleSelectReply: { selectedRowId: content.id },
        },
      };
    case "button_choice":
      return {
        buttonsResponseMessage: {
          selectedButtonId: content.id,
          selectedDisplayText: content.title,
        },
      };
    default: {
      const isVoice = content.messageType === "voice";
      const { text, fileName, file } = content;
      return {
        [`${isVoice ? "audio" : content.messageType}Message`]: {
          ...(file === undefined ? {} : { mimetype: file.mimeType }),
          ...(isVoice ? { ptt: true } : {}),
          ...(text === null ? {} : { caption: text }),
          ...(fileName === null ? {} : { fileName }),
        },
      };
    }
  }
}

/** An edit has an id of its own, and names the message by its bare id; so does a deletion. */
export function composeWahaChange(change: SimulatedChange): Record<string, unknown> {
  const { providerMessageId, text, waId, writtenBy } = change;
  const isOwn = writtenBy === "company";
  const chat = toChatId(waId);
  const action = {
    id: writeId(chat, `${providerMessageId}-CHANGE`, isOwn),
    timestamp: Math.floor(Date.parse(change.receivedAt) / 1_000),
    from: isOwn ? companyChat : chat,
    fromMe: isOwn,
    source: change.isByApi ? "api" : "app",
    to: isOwn ? chat : companyChat,
    participant: null,
  };
  return text === null
    ? wrap(change, "message.revoked", {
      after: action,
      before: null,
      revokedMessageId: providerMessageId,
    })
    : wrap(change, "message.edited", {
      ...action,
      editedMessageId: providerMessageId,
      body: text,
      hasMedia: false,
    });
}

const acks = { sent: [1, "SERVER"], delivered: [2, "DEVICE"], read: [3, "READ"] } as const;

/** A status that the customer's phone reports for a message. */
export function composeWahaStatus(status: PhoneStatus): Record<string, unknown> {
  const chat = toChatId(status.waId);
  const [ack, ackName] = acks[status.status];
  return wrap(status, "message.ack", {
    id: writeId(chat, status.providerMessageId, true),
    from: chat,
    to: companyChat,
    participant: null,
    fromMe: true,
    ack,
    ackName,
  });
}

/** The session with the company's phone came up or was lost. */
export function composeWahaConnection(
  { instance, state, phone, at }: ConnectionChange,
): Record<string, unknown> {
  const status = state === "connected" ? "WORKING" : "FAILED";
  const timestamp = Date.parse(at);
  const event = wrap({ instance, receivedAt: at }, "session.status", {
    name: instance,
    status,
    statuses: [{ status: "STARTING", timestamp: timestamp - 1_000 }, { status, timestamp }],
    data: null,
  });
  // Before the login there is nobody.
  const isKnown = state === "connected" && phone !== undefined;
  return { ...event, me: isKnown ? { id: toChatId(phone), pushName: "Loja" } : null };
}

/** The members of every event. */
export function wrap(
  { instance, receivedAt }: Pick<PhoneStatus, "instance" | "receivedAt">,
  event: string,
  payload: WireMembers,
): Record<string, unknown> {
  return {
    id: `evt_${crypto.randomUUID().replaceAll("-", "").slice(0, 26)}`,
    timestamp: Date.parse(receivedAt),
    event,
    session: instance,
    metadata: {},
    me: { id: companyChat, pushName: "Loja" },
    payload,
    engine: "NOWEB",
    environment: { version: "2026.9.1", engine: "NOWEB", tier: "CORE" },
  };
}
