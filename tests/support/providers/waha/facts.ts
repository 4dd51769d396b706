/** WAHA, for the tests. */
import { signWahaBody } from "../../../../supabase/local/simulator/waha/webhook.ts";
import { evolutionExamples, type InboundExample } from "../../fixtures/inbound_examples.ts";
import { contactPhone, type ProviderFacts } from "../facts.ts";

type Json = Readonly<Record<string, unknown>>;

/** The key of `createConfig` that signs a webhook. */
export const webhookKey = "hook-key-value-of-waha-tests";
const contactChat = `${contactPhone}@c.us`;
const ownChat = "551140001234@c.us";

/** An event of a session (page Events, "Event Payload"). `session` is left out: every session takes it. */
export function wahaEvent(event: string, payload: unknown, members: Json = {}): Json {
  return {
    id: "evt_01jnw7xgx3y2b9s1h6ybq0tq6a",
    timestamp: Date.now(),
    event,
    metadata: {},
    me: { id: ownChat, pushName: "Loja" },
    payload,
    engine: "NOWEB",
    environment: { version: "2026.9.1", engine: "NOWEB", tier: "CORE" },
    ...members,
  };
}

/** The payload of a message of the contact, with members of its own. */
export function wahaMessage(id: string, members: Json): Json {
  return {
    id: `false_${contactChat}_${id}`,
    timestamp: Math.floor(Date.now() / 1_000),
    from: contactChat,
    fromMe: false,
    source: "app",
    to: ownChat,
    participant: null,
    body: null,
    hasMedia: false,
    media: null,
    ack: 2,
    ackName: "DEVICE",
    replyTo: null,
    vCards: [],
    ...members,
  };
}

/** What has an event of its own is told by it. */
function toMessage(id: string, members: Json): Json {
  const event = "vote" in members
    ? "poll.vote"
    : "eventResponse" in members
    ? "event.response"
    : "message";
  const { vote, ...rest } = members;
  const told = vote === undefined ? {} : {
    vote: {
      ...vote as object,
      id: `false_${contactChat}_${id}`,
      from: contactChat,
      timestamp: Math.floor(Date.now() / 1_000),
    },
  };
  return wahaEvent(event, wahaMessage(id, { ...rest, ...told }));
}

/** WhatsApp's own context stands in the member that holds the content. */
function toProtocol({ message, contextInfo }: Json): Json {
  if (contextInfo === undefined) return { message };
  const [[member = "", content] = []] = Object.entries(message as Json);
  return { message: { [member]: { ...content as object, contextInfo } } };
}

/** NOWEB passes on the message object that Evolution passes on too; both are built on Baileys. */
const protocolExamples = evolutionExamples
  .filter(({ name }) => name !== "vote")
  .map(({ members, ...example }): InboundExample => ({
    ...example,
    members: { _data: toProtocol(members) },
  }));

/** Page Polls, and page Event message. */
const ownExamples: readonly InboundExample[] = [
  {
    name: "vote",
    members: {
      vote: { to: "me", fromMe: false, selectedOptions: ["Terça"] },
      poll: { id: "true_1111111111@c.us_BAE5F2EF5C69001E", to: "1111111111@c.us", fromMe: true },
    },
    messageType: "poll_vote",
    told: { pollVote: { pollId: "BAE5F2EF5C69001E", options: ["Terça"] } },
  },
  {
    name: "answer to an event",
    members: {
      eventCreationKey: { id: "false_999999999999@c.us_3EBAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      eventResponse: { response: "GOING", timestampMs: 1747707858429, extraGuestCount: 0 },
    },
    messageType: "other",
    told: { eventAnswer: { eventId: "3EBAAAAAAAAAAAAAAAAAAAAAAAAAA", answer: "going" } },
  },
];

function toText(id: string, body: string): Json {
  return toMessage(id, { body, _data: { message: { conversation: body } } });
}

export const wahaFacts: ProviderFacts = {
  config: {
    baseUrl: "http://127.0.0.1:3000",
    session: "loja 1",
    apiKey: "key",
    webhookKey: "hook",
  },
  optionalFields: [],
  createConfig: (id) => ({ session: `waha-${id}`, apiKey: "waha-secret-key", webhookKey }),
  call: {
    config: { session: "loja", apiKey: "waha-key", webhookKey: "hook-key" },
    secrets: ["waha-key", "hook-key"],
    path: "/api/sendText",
    headers: { "x-api-key": "waha-key" },
    body: { session: "loja", chatId: "5511987654321@c.us", text: "Olá" },
    success: {
      status: 201,
      json: {
        key: { remoteJid: "551187654321@s.whatsapp.net", fromMe: true, id: "3EB0WAHA" },
        status: "PENDING",
      },
    },
    accepted: { outcome: "accepted", providerMessageId: "3EB0WAHA", waId: "551187654321" },
  },
  publicBaseUrl: null,
  simulated: (url, instance, secret) => ({
    baseUrl: `${url}/waha`,
    session: instance,
    apiKey: secret,
    webhookKey: secret,
  }),
  reduced: {
    card: [],
    sections: [],
    "document above buttons": null,
    "no preview": [],
    "view once": null,
    "contact request": null,
    "location request": null,
  },
  subscription: {
    page: "docs/waha.md",
    head: ["WAHA's event", "Brings"],
    toSubscribed: (field) => field,
    sources: ["events.ts"],
  },
  examples: [...protocolExamples, ...ownExamples],
  documented: [...protocolExamples, ...ownExamples],
  writtenElsewhere: [
    ...["from", "id", "isGroup", "isVideo", "participant", "timestamp", "vCards"],
    ...["reaction.messageId", "reaction.text", "eventCreationKey.fromMe"],
    ...["poll.from", "vote.from", "vote.id", "vote.timestamp"],
    ...["displayName", "vcard"].map((name) => `_data.message.contactMessage.${name}`),
    ...["matchedText", "title"].map((name) => `_data.message.extendedTextMessage.${name}`),
    // The example has it in the three members of a 64-bit number.
    "_data.message.orderMessage.totalAmount1000",
    ...["gifPlayback", "viewOnce"].map((name) => `_data.message.videoMessage.${name}`),
  ],
  untold: {
    "vote.to": "the session itself, or the group",
    "poll.id": "told as the bare id",
    "poll.to": "the chat of the vote",
    "poll.fromMe": "whose poll it is: that of the message pollId",
    "eventCreationKey.id": "told as the bare id",
    timestampMs: "the message's own instant",
    extraGuestCount: "WhatsApp's count of guests, which no other channel tells",
  },
  samples: [
    toText("A", "a"),
    wahaEvent("message", wahaMessage("A", { body: "a", _data: { type: "chat" } })),
    wahaEvent(
      "message",
      wahaMessage("A", { body: "a", _data: { Message: { conversation: "a" } } }),
    ),
    wahaEvent(
      "message",
      wahaMessage("A", {
        hasMedia: true,
        media: { url: "http://localhost:3000/api/files/a.jpg", mimetype: "image/jpeg" },
      }),
    ),
    wahaEvent("message", wahaMessage("A", { from: "1@g.us", participant: "2@lid", body: "a" })),
    wahaEvent("message.any", wahaMessage("A", { fromMe: true, to: contactChat, body: "a" })),
    wahaEvent(
      "message",
      wahaMessage("A", {
        _data: {
          type: "list_response",
          listResponse: { title: "a", singleSelectReply: { selectedRowId: "b" } },
        },
      }),
    ),
    wahaEvent("message", wahaMessage("A", { vCards: ["BEGIN:VCARD\nFN:a\nTEL:1\nEND:VCARD"] })),
    wahaEvent("message", wahaMessage("A", { location: { latitude: 1, longitude: 2 } })),
    wahaEvent(
      "message.reaction",
      wahaMessage("A", { timestamp: 1710481111.853, reaction: { text: "a", messageId: "b" } }),
    ),
    wahaEvent("message.edited", wahaMessage("A", { editedMessageId: "B", body: "a" })),
    wahaEvent("message.revoked", { after: null, before: null, revokedMessageId: "B" }),
    wahaEvent("message.ack", { id: `true_${contactChat}_A`, fromMe: true, ack: 3 }),
    wahaEvent("message.ack.group", {
      ...{ id: "true_1@g.us_A_2@lid", from: "1@g.us", participant: "2@lid", fromMe: true },
      ackName: "READ",
    }),
    wahaEvent("poll.vote", {
      vote: { id: `false_${contactChat}_A`, from: contactChat, selectedOptions: ["a"] },
      poll: { id: "b" },
    }),
    wahaEvent("call.rejected", { id: "A", from: contactChat, isVideo: true }),
    wahaEvent("session.status", { status: "FAILED" }),
    wahaEvent("session.status", {
      ...{ status: "WORKING", data: { reachoutTimelock: { isActive: true } } },
    }),
  ],
  toMessage,
  toText,
  toAdMessage: (id, headline) => {
    const externalAdReply = { title: headline, sourceType: "ad", sourceId: "7", ctwaClid: "click" };
    const message = { extendedTextMessage: { text: "oi", contextInfo: { externalAdReply } } };
    return toMessage(id, { body: "oi", _data: { message } });
  },
  toReaction: (id, target, text) =>
    wahaEvent(
      "message.reaction",
      wahaMessage(id, {
        timestamp: Date.now() / 1_000,
        reaction: { text: text ?? "", messageId: `false_${contactChat}_${target}` },
      }),
    ),
  toGroupStatus: (id, member, hasRead) =>
    wahaEvent("message.ack.group", {
      id: `true_120363@g.us_${id}`,
      from: "120363@g.us",
      participant: `${member}@c.us`,
      fromMe: true,
      ack: hasRead ? 3 : 2,
      ackName: hasRead ? "READ" : "DEVICE",
    }),
  toRequest: async (instanceId, payload) => {
    const body = new TextEncoder().encode(JSON.stringify(payload));
    const headers = {
      "x-webhook-hmac": await signWahaBody(body, webhookKey),
      "x-webhook-hmac-algorithm": "sha512",
    };
    return { path: `waha/${instanceId}`, body, headers };
  },
};
