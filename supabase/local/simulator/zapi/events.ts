/** Webhook payloads of Z-API (pages Webhooks: Ao receber, Status da mensagem, Ao conectar, Ao desconectar). */
import type { ConnectionChange } from "../channel.ts";
import type { PhoneStatus, ReplyFileType, SimulatedChange, SimulatedReply } from "../records.ts";
import { addParts, type WireMembers } from "../part_writers.ts";
import { zapiParts } from "./parts.ts";

/** A message on the connected phone, received or typed on it. */
export function composeZapiMessage(reply: SimulatedReply): WireMembers {
  const isOwn = reply.writtenBy === "company";
  const message = {
    ...describeChat(reply, isOwn),
    chatName: reply.customerName,
    senderName: isOwn ? "" : reply.customerName,
    ...(reply.replyTo === null ? {} : { referenceMessageId: reply.replyTo }),
    ...describeContent(reply),
  };
  return addParts(message, zapiParts, reply);
}

/** What every event of a chat has. */
interface ZapiChat {
  readonly type: "ReceivedCallback";
  readonly instanceId: string;
  readonly messageId: string;
  readonly phone: string;
  readonly fromMe: boolean;
  readonly fromApi: false;
  /** Milliseconds since 1970. */
  readonly momment: number;
  readonly status: "RECEIVED";
  readonly participantPhone: null;
  readonly isGroup: false;
  readonly isNewsletter: false;
  readonly isEdit: false;
  readonly waitingMessage: false;
  readonly broadcast: false;
}

function describeChat(
  { instance, providerMessageId, waId, receivedAt }: SimulatedReply | SimulatedChange,
  isOwn: boolean,
): ZapiChat {
  return {
    type: "ReceivedCallback",
    instanceId: instance,
    messageId: providerMessageId,
    phone: waId,
    fromMe: isOwn,
    fromApi: false,
    momment: Date.parse(receivedAt),
    status: "RECEIVED",
    participantPhone: null,
    isGroup: false,
    isNewsletter: false,
    isEdit: false,
    waitingMessage: false,
    broadcast: false,
  };
}

/** An edit repeats the message under its id; a deletion is a notification about it. */
export function composeZapiChange(change: SimulatedChange): Record<string, unknown> {
  const { text, writtenBy } = change;
  return {
    ...describeChat(change, writtenBy === "company"),
    fromApi: change.isByApi,
    ...(text === null
      ? { notification: "REVOKE", referenceMessageId: change.providerMessageId }
      : { isEdit: true, text: { message: text } }),
  };
}

/** The member of an event that holds what was written, by its name. */
type ZapiContent =
  | { readonly text: { readonly message: string } }
  | {
    readonly listResponseMessage: {
      readonly message: string;
      readonly title: string;
      readonly selectedRowId: string;
    };
  }
  | { readonly buttonsResponseMessage: { readonly buttonId: string; readonly message: string } }
  | {
    readonly [Kind in Exclude<ReplyFileType, "voice">]?: Readonly<Record<string, string | true>>;
  }
  | Readonly<Record<string, never>>;

function describeContent({ content }: SimulatedReply): ZapiContent {
  switch (content.messageType) {
    case "text":
      return { text: { message: content.text } };
    case "none":
      return {};
    case "list_choice":
      return {
        listResponseMessage: {
          message: content.title,
          title: content.title,
          selectedRowId: content.id,
        },
      };
    case "button_choice":
      return { buttonsResponseMessage: { buttonId: content.id, message: content.title } };
    default: {
      const { messageType, mediaUrl, text, fileName, file } = content;
      const isVoice = messageType === "voice";
      const member = isVoice ? "audio" : messageType;
      return {
        [member]: {
          [`${member}Url`]: mediaUrl,
          ...(isVoice ? { ptt: true } : {}),
          ...(file === undefined ? {} : { mimeType: file.mimeType }),
          ...(text === null ? {} : { caption: text }),
          ...(fileName === null ? {} : { fileName }),
        },
      };
    }
  }
}

const words = { sent: "SENT", delivered: "RECEIVED", read: "READ" } as const;

/** A status that the customer's phone reports for a message. */
export function composeZapiStatus(status: PhoneStatus): Record<string, unknown> {
  return {
    type: "MessageStatusCallback",
    instanceId: status.instance,
    status: words[status.status],
    ids: [status.providerMessageId],
    momment: Date.parse(status.receivedAt),
    phone: status.waId,
    phoneDevice: 0,
    isGroup: false,
  };
}

/** The session with the company's phone came up or was lost. */
export function composeZapiConnection(
  { instance, state, phone, at }: ConnectionChange,
): Record<string, unknown> {
  const momment = Date.parse(at);
  return state === "connected"
    ? {
      ...{ type: "ConnectedCallback", instanceId: instance, connected: true, momment },
      ...(phone === undefined ? {} : { phone }),
    }
    : {
      type: "DisconnectedCallback",
      instanceId: instance,
      disconnected: true,
      error: "Device has been disconnected",
      momment,
    };
}
