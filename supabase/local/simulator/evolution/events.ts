/**
 * Webhook payloads of Evolution API v2 (page Webhooks): messages.upsert, messages.edited, messages.delete,
 * messages.update, connection.update.
 */
import { Buffer } from "node:buffer";
import type { ConnectionChange } from "../channel.ts";
import type { SimulatedFile } from "../file_store.ts";
import type { PhoneStatus, ReplyFileType, SimulatedChange, SimulatedReply } from "../records.ts";
import { addParts, type WireMembers } from "../part_writers.ts";
import { evolutionParts } from "./parts.ts";

/** A message on the connected phone, received or typed on it. */
export function composeEvolutionMessage(
  reply: SimulatedReply,
  embedded?: SimulatedFile,
): Record<string, unknown> {
  const isOwn = reply.writtenBy === "company";
  const { providerMessageId, waId, replyTo, receivedAt } = reply;
  if (reply.parts?.call !== undefined) {
    const caller = { id: providerMessageId, from: toJid(waId), chatId: toJid(waId) };
    return wrap(reply, "call", addParts({ ...caller, date: receivedAt }, evolutionParts, reply));
  }
  const content = embedded === undefined ? describeContent(reply) : embedFile(reply, embedded);
  const data = addParts(
    {
      key: { remoteJid: toJid(waId), fromMe: isOwn, id: providerMessageId },
      pushName: isOwn ? "" : reply.customerName,
      status: isOwn ? "SERVER_ACK" : "DELIVERY_ACK",
      message: content,
      ...(replyTo === null ? {} : { contextInfo: { stanzaId: replyTo } }),
      messageTimestamp: Math.floor(Date.parse(receivedAt) / 1_000),
      source: "android",
    },
    evolutionParts,
    reply,
  );
  return wrap(reply, "messages.upsert", { ...data, messageType: nameKind(data["message"]) });
}

/** The member that holds the content, which names its kind. */
function nameKind(message: unknown): string {
  const given = Object.entries(message ?? {}).filter(([, value]) => value !== undefined);
  return given[0]?.[0] ?? "unknown";
}

/** The members of `message` that hold what was written. */
type EvolutionContent =
  | { readonly conversation: string }
  | {
    readonly listResponseMessage: {
      readonly title: string;
      readonly singleSelectReply: { readonly selectedRowId: string };
    };
  }
  | {
    readonly buttonsResponseMessage: {
      readonly selectedButtonId: string;
      readonly selectedDisplayText: string;
    };
  }
  | (
    & { readonly [Type in `${Exclude<ReplyFileType, "voice">}Message`]?: EvolutionFile }
    & { readonly mediaUrl: string }
  )
  | Readonly<Record<string, never>>;

interface EvolutionFile {
  readonly url: string;
  readonly mimetype?: string;
  readonly caption?: string;
  readonly fileName?: string;
  readonly ptt?: true;
}

function describeContent({ content }: SimulatedReply): EvolutionContent {
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
      const type = `${isVoice ? "audio" : content.messageType}Message`;
      const { mediaUrl, text, fileName, file } = content;
      return {
        [type]: {
          url: "https://mmg.whatsapp.net/encrypted",
          ...(isVoice ? { ptt: true } : {}),
          ...(file === undefined ? {} : { mimetype: file.mimeType }),
          ...(text === null ? {} : { caption: text }),
          ...(fileName === null ? {} : { fileName }),
        },
        mediaUrl,
      };
    }
  }
}

/**
 * A file as Evolution's business channel tells it: with its bytes, and in Meta's spelling. It cannot be asked
 * for later.
 */
function embedFile(
  { content, providerMessageId }: SimulatedReply,
  { bytes, mimeType, sha256 }: SimulatedFile,
): WireMembers {
  const isVoice = content.messageType === "voice";
  const type = `${isVoice ? "audio" : content.messageType}Message`;
  const { text, fileName } = "mediaUrl" in content ? content : { text: null, fileName: null };
  return {
    [type]: {
      ...(isVoice ? { voice: true } : {}),
      id: providerMessageId,
      mime_type: mimeType,
      sha256: Buffer.from(sha256, "hex").toString("base64"),
      ...(text === null ? {} : { caption: text }),
      ...(fileName === null ? {} : { filename: fileName }),
    },
    base64: Buffer.from(bytes).toString("base64"),
  };
}

/**
 * An edit, as WhatsApp's own message about the first one, from the point of view of its author: a customer's
 * shows the company's number. A deletion names the first message's key.
 */
export function composeEvolutionChange(change: SimulatedChange): Record<string, unknown> {
  const { instance, providerMessageId: id, receivedAt, text, waId, writtenBy } = change;
  const isOwn = writtenBy === "company";
  if (text === null) {
    const key = { remoteJid: toJid(waId), fromMe: isOwn, id };
    return wrap({ instance, receivedAt }, "messages.delete", { ...key, status: "DELETED" });
  }
  return {
    ...wrap({ instance, receivedAt }, "messages.edited", {
      key: { remoteJid: toJid(isOwn ? waId : companyPhone), fromMe: true, id },
      type: "MESSAGE_EDIT",
      editedMessage: { conversation: text },
      timestampMs: String(Date.parse(receivedAt)),
    }),
    sender: toJid(companyPhone),
  };
}

/** The number of the company's connected phone. */
const companyPhone = "551140001234";

const words = { sent: "SERVER_ACK", delivered: "DELIVERY_ACK", read: "READ" } as const;

/** A status that the customer's phone reports for a message. */
export function composeEvolutionStatus(status: PhoneStatus): Record<string, unknown> {
  return wrap(status, "messages.update", {
    keyId: status.providerMessageId,
    remoteJid: toJid(status.waId),
    fromMe: true,
    status: words[status.status],
  });
}

function wrap(
  { instance, receivedAt }: Pick<PhoneStatus, "instance" | "receivedAt">,
  event: string,
  data: Record<string, unknown>,
): Record<string, unknown> {
  return { event, instance, data, date_time: receivedAt, server_url: "", apikey: null };
}

/** The session with the company's phone came up or was lost. */
export function composeEvolutionConnection(
  { instance, state, phone, at }: ConnectionChange,
): Record<string, unknown> {
  return wrap({ instance, receivedAt: at }, "connection.update", {
    instance,
    state: state === "connected" ? "open" : "close",
    statusReason: state === "connected" ? 200 : 401,
    ...(state === "connected" && phone !== undefined ? { wuid: toJid(phone) } : {}),
  });
}

function toJid(waId: string): string {
  return `${waId}@s.whatsapp.net`;
}
