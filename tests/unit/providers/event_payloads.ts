import { readProviderEvents } from "../../support/providers/provider_events.ts";
import type { ProviderKind } from "../../../shared/model/provider_kind.ts";

type Json = Record<string, unknown>;

/** The events of a payload as sent to the database: without undefined members. */
export function readEvents(kind: ProviderKind, payload: unknown, ownId?: string): Json[] {
  return JSON.parse(JSON.stringify(readProviderEvents(kind, payload, ownId)));
}

/** The first event of a payload, or undefined. */
export function readEvent(kind: ProviderKind, payload: unknown): Json | undefined {
  return readEvents(kind, payload)[0];
}

/** A webhook of the Cloud API with one change. */
export function cloudChange(value: Json, field = "messages"): Json {
  const metadata = { display_phone_number: "15550783881", phone_number_id: "106540352242922" };
  return {
    object: "whatsapp_business_account",
    entry: [{
      id: "419561257915477",
      changes: [{ value: { messaging_product: "whatsapp", metadata, ...value }, field }],
    }],
  };
}

/** A webhook of the Cloud API with one inbound message of Ana's. */
export function cloudMessage(message: Json): Json {
  return cloudChange({
    contacts: [{ profile: { name: "Ana" }, wa_id: "5511987654321" }],
    messages: [{ from: "5511987654321", id: "wamid.A", timestamp: "1749416383", ...message }],
  });
}

/** A `ReceivedCallback` of Z-API from Ana. */
export function zapiMessage(members: Json): Json {
  return {
    isStatusReply: false,
    senderLid: "81896604192873@lid",
    connectedPhone: "554499999999",
    waitingMessage: false,
    isEdit: false,
    isGroup: false,
    isNewsletter: false,
    instanceId: "A20DA9C0183A2D35A260F53F5D2B9244",
    messageId: "3EB0ZAPI",
    phone: "5511987654321",
    fromMe: false,
    momment: 1632228638000,
    status: "RECEIVED",
    chatName: "Ana do trabalho",
    senderName: "Ana",
    participantPhone: null,
    participantLid: null,
    broadcast: false,
    type: "ReceivedCallback",
    ...members,
  };
}

/** A webhook of Evolution API. */
export function evolutionEvent(event: string, data: unknown): Json {
  return {
    event,
    instance: "loja",
    data,
    destination: "https://example.com/webhook",
    date_time: "2026-11-20T09:00:00.000Z",
    sender: "5511900000000@s.whatsapp.net",
    server_url: "https://evolution.example.com",
    apikey: "never-to-be-read",
  };
}

/** The `data` of a message from Ana, with members of its own and of its `key`. */
export function evolutionMessage(message: unknown, members: Json = {}, key: Json = {}): Json {
  return {
    key: { remoteJid: "5511987654321@s.whatsapp.net", fromMe: false, id: "3EB0EVO", ...key },
    pushName: "Ana",
    status: "DELIVERY_ACK",
    message,
    messageType: "conversation",
    messageTimestamp: 1717689097,
    instanceId: "bae4",
    source: "android",
    ...members,
  };
}
