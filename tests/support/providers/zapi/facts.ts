/** Z-API, for the tests. */
import { zapiMessage } from "../../../unit/providers/event_payloads.ts";
import { zapiExamples } from "../../fixtures/inbound_examples.ts";
import { contactPhone, type ProviderFacts, toSecretRequest, webhookSecret } from "../facts.ts";

type Json = Readonly<Record<string, unknown>>;

function toMessage(messageId: string, members: Json): Json {
  const chat = { phone: contactPhone, fromMe: false, isGroup: false };
  return { type: "ReceivedCallback", messageId, ...chat, ...members };
}

export const zapiFacts: ProviderFacts = {
  config: {
    baseUrl: "https://api.z-api.io",
    gatewayInstanceId: "3C01",
    token: "T0K",
    clientToken: "F1",
    webhookSecret: "hook",
  },
  optionalFields: ["baseUrl", "clientToken"],
  createConfig: (id) => ({
    gatewayInstanceId: `gateway-${id}`,
    token: "zapi-secret-token",
    clientToken: "zapi-secret-client",
    webhookSecret,
  }),
  call: {
    config: {
      gatewayInstanceId: "3C01",
      token: "instance-token",
      clientToken: "client-token",
      webhookSecret: "hook-secret",
    },
    secrets: ["instance-token", "client-token", "hook-secret"],
    path: "/instances/3C01/token/instance-token/send-text",
    headers: { "client-token": "client-token" },
    body: { phone: "5511987654321", message: "Olá" },
    success: { status: 200, json: { zaapId: "Z", messageId: "D241", id: "D241" } },
    accepted: { outcome: "accepted", providerMessageId: "D241" },
  },
  publicBaseUrl: "https://api.z-api.io",
  simulated: (url, instance, secret) => ({
    baseUrl: `${url}/zapi`,
    gatewayInstanceId: instance,
    token: secret,
    webhookSecret: secret,
  }),
  reduced: {
    card: ["contacts.0.emails", "contacts.0.organization", "contacts.0.urls"],
    sections: ["optionList.sections"],
    "document above buttons": ["header"],
    "no preview": ["linkPreview"],
    "view once": [],
    "contact request": null,
    "location request": null,
  },
  subscription: {
    page: "docs/deploy.md",
    head: ["Z-API's webhook", "Callback", "Brings"],
    // A notification comes by "Ao receber".
    toSubscribed: (field) => field.includes(".") ? undefined : field,
    sources: ["events.ts"],
  },
  examples: zapiExamples,
  documented: zapiExamples,
  writtenElsewhere: [
    ...["callId", "notification", "chatName", "isGroup", "participantPhone", "phone"],
    ...["value", "time", "reactionBy"].map((name) => `reaction.${name}`),
    ...["messageId", "fromMe", "phone"].map((name) => `reaction.referencedMessage.${name}`),
    ...["text.title", "text.url", "video.isGif"],
  ],
  untold: {},
  samples: [
    zapiMessage({ text: { message: "a" }, chatLid: "1@lid" }),
    zapiMessage({ isGroup: true, phone: "1-group", text: { message: "a" } }),
    zapiMessage({ fromMe: true, document: { documentUrl: "https://a.example/a", fileName: "a" } }),
    zapiMessage({ listResponseMessage: { message: "a", title: "b", selectedRowId: "c" } }),
    zapiMessage({ buttonsResponseMessage: { buttonId: "a", message: "b" } }),
    zapiMessage({ location: { latitude: 1, longitude: 2, name: "a", address: "b" } }),
    zapiMessage({ contact: { displayName: "a", phones: ["1"] } }),
    zapiMessage({ reaction: { value: "a" } }),
    zapiMessage({ pollVote: { pollMessageId: "a", options: [{ name: "b" }] } }),
    { type: "MessageStatusCallback", status: "READ", ids: ["a", "b"], momment: 1749416383000 },
    { type: "DeliveryCallback", messageId: "a", phone: "5511987654321", error: "b" },
  ],
  toMessage,
  toText: (id, body) => toMessage(id, { text: { message: body } }),
  toAdMessage: (id, headline) => {
    const externalAdReply = { title: headline, sourceType: "ad", sourceId: "7", ctwaClid: "click" };
    return toMessage(id, { text: { message: "oi" }, externalAdReply });
  },
  toReaction: (id, target, emoji) => {
    const reaction = { value: emoji ?? "", referencedMessage: { messageId: target } };
    return toMessage(id, { reaction });
  },
  toGroupStatus: (id, member, hasRead) => ({
    ...{ type: "MessageStatusCallback", status: hasRead ? "READ" : "RECEIVED" },
    ...{ ids: [id], isGroup: true, phone: "120363-group" },
    ...{ participantPhone: member, momment: Date.now() },
  }),
  toRequest: (instanceId, payload) => toSecretRequest("zapi", instanceId, payload),
};
