/** The official channel, for the tests. */
import { signBody } from "../../../../supabase/local/simulator/whatsapp_cloud/webhook_signature.ts";
import { cloudChange, cloudMessage } from "../../../unit/providers/event_payloads.ts";
import { cloudExamples } from "../../fixtures/inbound_examples.ts";
import {
  appSecret,
  contactPhone,
  documentedMessage,
  type ProviderFacts,
  webhookSecret,
} from "../facts.ts";

type Json = Readonly<Record<string, unknown>>;

function toPayload(value: Json): Json {
  const changes = [{ field: "messages", value: { messaging_product: "whatsapp", ...value } }];
  return { object: "whatsapp_business_account", entry: [{ id: "102290129340398", changes }] };
}

function toMessage(id: string, members: Json): Json {
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  return toPayload({ messages: [{ from: contactPhone, id, timestamp, ...members }] });
}

export const whatsappCloudFacts: ProviderFacts = {
  config: {
    baseUrl: "http://127.0.0.1:9/graph/",
    phoneNumberId: "1065",
    accessToken: "EAAG",
    appSecret: "app",
    verifyToken: "verify",
    wabaId: "77",
    apiVersion: "v24.0",
  },
  optionalFields: ["baseUrl", "phoneNumberId", "wabaId", "apiVersion"],
  createConfig: () => ({
    phoneNumberId: `${Math.floor(Math.random() * 1e15)}`,
    accessToken: appSecret,
    appSecret,
    verifyToken: webhookSecret,
  }),
  call: {
    config: {
      phoneNumberId: "106540352242922",
      accessToken: "EAAG-access",
      appSecret: "app-secret",
      verifyToken: "verify-token",
    },
    secrets: ["EAAG-access", "app-secret", "verify-token"],
    path: "/v26.0/106540352242922/messages",
    headers: { authorization: "Bearer EAAG-access" },
    body: {
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: "5511987654321",
      type: "text",
      text: { body: "Olá" },
      biz_opaque_callback_data: documentedMessage.messageId,
    },
    success: {
      status: 200,
      json: {
        messaging_product: "whatsapp",
        contacts: [{ input: "5511987654321", wa_id: "551187654321" }],
        messages: [{ id: "wamid.A" }],
      },
    },
    accepted: { outcome: "accepted", providerMessageId: "wamid.A", waId: "551187654321" },
  },
  publicBaseUrl: "https://graph.facebook.com",
  simulated: (url, instance, secret) => ({
    baseUrl: `${url}/graph`,
    phoneNumberId: instance,
    accessToken: secret,
    appSecret: secret,
    verifyToken: secret,
  }),
  reduced: {
    card: [],
    sections: [],
    "document above buttons": [],
    "no preview": [],
    "view once": null,
    "contact request": [],
    "location request": [],
  },
  subscription: {
    page: "docs/deploy.md",
    head: ["Meta's field", "Brings"],
    // `messages.text` is a type of message in the field `messages`.
    toSubscribed: (field) => field.includes(".") ? undefined : field,
    sources: ["events.ts", "number_events.ts"],
  },
  examples: cloudExamples,
  documented: cloudExamples,
  writtenElsewhere: [
    ...["direction", "event", "status", "errors.message", "group_id"],
    ...["reaction.emoji", "reaction.message_id"],
  ],
  untold: {},
  samples: [
    cloudMessage({ type: "text", text: { body: "a" }, group_id: "g", from_user_id: "BR.1" }),
    cloudMessage({ type: "document", document: { id: "7", filename: "a", caption: "b" } }),
    cloudMessage({
      type: "interactive",
      interactive: { type: "list_reply", list_reply: { id: "a", title: "b" } },
    }),
    cloudMessage({ type: "button", button: { payload: "a", text: "b" } }),
    cloudMessage({ type: "location", location: { latitude: 1, longitude: 2, name: "a" } }),
    cloudMessage({
      type: "contacts",
      contacts: [{ name: { formatted_name: "a" }, phones: [{ phone: "1" }] }],
    }),
    cloudMessage({ type: "reaction", reaction: { emoji: "a" } }),
    cloudMessage({ type: "edit", edit: { message: { type: "text", text: { body: "a" } } } }),
    cloudMessage({ type: "order", order: { text: "a", product_items: [{}] } }),
    cloudMessage({ type: "unsupported", errors: [{ title: "a" }] }),
    cloudMessage({ type: "system", system: { type: "user_changed_number", wa_id: "16505551234" } }),
    cloudChange({
      statuses: [{
        id: "a",
        status: "failed",
        timestamp: "1749416383",
        recipient_id: "5511987654321",
        biz_opaque_callback_data: "5c0a2a52-0a1f-4d64-9c1e-2f7c0b1f6c11",
        errors: [{ code: 1, title: "a", message: "b", error_data: { details: "c" } }],
      }],
    }),
    cloudChange(
      { message_echoes: [{ to: "5511987654321", id: "a", type: "text", text: { body: "a" } }] },
      "smb_message_echoes",
    ),
    cloudChange({ event: "APPROVED", message_template_id: 7 }, "message_template_status_update"),
  ],
  toMessage,
  toText: (id, body) => toMessage(id, { type: "text", text: { body } }),
  toAdMessage: (id, headline) => {
    const referral = { headline, source_type: "ad", source_id: "7", ctwa_clid: "click" };
    return toMessage(id, { type: "text", text: { body: "oi" }, referral });
  },
  toReaction: (id, target, emoji) => {
    const reaction = { message_id: target, ...(emoji === null ? {} : { emoji }) };
    return toMessage(id, { type: "reaction", reaction });
  },
  toGroupStatus: (id, member, hasRead) =>
    toPayload({
      statuses: [{
        ...{ id, status: hasRead ? "read" : "delivered", recipient_id: "group-1" },
        timestamp: `${Math.floor(Date.now() / 1_000)}`,
        ...{ recipient_type: "group", recipient_participant_id: member },
      }],
    }),
  toRequest: async (instanceId, payload) => {
    const body = new TextEncoder().encode(JSON.stringify(payload));
    const headers = { "x-hub-signature-256": await signBody(body, appSecret) };
    return { path: `whatsapp_cloud/${instanceId}`, body, headers };
  },
};
