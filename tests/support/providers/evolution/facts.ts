/** Evolution API, for the tests. */
import { evolutionEvent, evolutionMessage } from "../../../unit/providers/event_payloads.ts";
import { evolutionBusinessExamples, evolutionExamples } from "../../fixtures/inbound_examples.ts";
import { contactPhone, type ProviderFacts, toSecretRequest, webhookSecret } from "../facts.ts";

type Json = Readonly<Record<string, unknown>>;

/** `members`: the `message`, and what is beside it in `data`. */
function toMessage(id: string, members: Json): Json {
  return {
    event: "messages.upsert",
    data: {
      key: { remoteJid: `${contactPhone}@s.whatsapp.net`, fromMe: false, id },
      pushName: "Ana",
      messageTimestamp: Math.floor(Date.now() / 1_000),
      ...members,
    },
  };
}

export const evolutionFacts: ProviderFacts = {
  config: {
    baseUrl: "http://127.0.0.1:8080",
    instanceName: "loja 1",
    apiKey: "key",
    webhookSecret: "hook",
  },
  optionalFields: [],
  createConfig: (id) => ({
    instanceName: `evolution-${id}`,
    apiKey: "evolution-secret-key",
    webhookSecret,
  }),
  call: {
    config: { instanceName: "loja", apiKey: "evolution-key", webhookSecret: "hook-secret" },
    secrets: ["evolution-key", "hook-secret"],
    path: "/message/sendText/loja",
    headers: { apikey: "evolution-key" },
    body: { number: "5511987654321", text: "Olá" },
    success: {
      status: 201,
      json: {
        key: { remoteJid: "551187654321@s.whatsapp.net", fromMe: true, id: "3EB0" },
        status: "PENDING",
      },
    },
    accepted: { outcome: "accepted", providerMessageId: "3EB0", waId: "551187654321" },
  },
  publicBaseUrl: null,
  simulated: (url, instance, secret) => ({
    baseUrl: `${url}/evolution`,
    instanceName: instance,
    apiKey: secret,
    webhookSecret: secret,
  }),
  reduced: {
    card: ["contacts.0.phones.1", "contacts.0.emails.1"],
    sections: [],
    "document above buttons": ["header"],
    "no preview": [],
    "view once": null,
    "contact request": null,
    "location request": null,
  },
  subscription: {
    page: "docs/deploy.md",
    head: ["Evolution's event", "Brings"],
    toSubscribed: (field) => field.toUpperCase().replaceAll(".", "_"),
    sources: ["events.ts"],
  },
  examples: evolutionExamples,
  documented: [...evolutionExamples, ...evolutionBusinessExamples],
  writtenElsewhere: [
    ...["isVideo", "status", "key.participant", "key.remoteJid"],
    ...["displayName", "vcard"].map((name) => `message.contactMessage.${name}`),
    ...["matchedText", "title"].map((name) => `message.extendedTextMessage.${name}`),
    "message.eventResponseMessage.response",
    // The example has it in the three members of a 64-bit number.
    "message.orderMessage.totalAmount1000",
    ...["key.fromMe", "key.id", "key.remoteJid", "text"].map((name) =>
      `message.reactionMessage.${name}`
    ),
    ...["gifPlayback", "viewOnce"].map((name) => `message.videoMessage.${name}`),
  ],
  untold: {},
  samples: [
    ...[
      { conversation: "a" },
      { imageMessage: { caption: "a" }, mediaUrl: "https://a.example/a" },
      { documentWithCaptionMessage: { message: { documentMessage: { fileName: "a" } } } },
      { listResponseMessage: { title: "a", singleSelectReply: { selectedRowId: "b" } } },
      { templateButtonReplyMessage: { selectedId: "a", selectedDisplayText: "b" } },
      { locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: "a" } },
      { reactionMessage: { text: "a" } },
      {
        interactiveResponseMessage: {
          body: { text: "a" },
          nativeFlowResponseMessage: { paramsJson: '{"id":"b"}' },
        },
      },
      { editedMessage: { message: { protocolMessage: { editedMessage: { conversation: "a" } } } } },
    ].map((message) => evolutionEvent("messages.upsert", evolutionMessage(message))),
    evolutionEvent(
      "messages.upsert",
      evolutionMessage({ conversation: "a" }, {}, { remoteJid: "1@g.us", participant: "2@lid" }),
    ),
    evolutionEvent("send.message", evolutionMessage({ conversation: "a" })),
    evolutionEvent("messages.update", [{ keyId: "a", fromMe: true, status: "ERROR" }]),
    evolutionEvent("messages.update", { key: { id: "a", fromMe: true }, update: { status: 4 } }),
  ],
  toMessage,
  toText: (id, body) => toMessage(id, { message: { conversation: body } }),
  toAdMessage: (id, headline) => {
    const externalAdReply = { title: headline, sourceType: "ad", sourceId: "7", ctwaClid: "click" };
    return toMessage(id, { message: { conversation: "oi" }, contextInfo: { externalAdReply } });
  },
  toReaction: (id, target, emoji) => {
    const reactionMessage = { key: { id: target }, text: emoji ?? "" };
    return toMessage(id, { message: { reactionMessage } });
  },
  toGroupStatus: (keyId, member, hasRead) => {
    const participant = `${member}@s.whatsapp.net`;
    const status = hasRead ? "READ" : "DELIVERY_ACK";
    return {
      event: "messages.update",
      data: { keyId, remoteJid: "120363@g.us", participant, status },
    };
  },
  toRequest: (instanceId, payload) => toSecretRequest("evolution", instanceId, payload),
};
