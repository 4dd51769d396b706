/**
 * What a person sends beside words, as WAHA's engine NOWEB passes it on: in WhatsApp's own message object
 * (`_data.message`), and what has an event of its own in the members of that event.
 */
import type { SimulatedReply } from "../records.ts";
import { evolutionParts } from "../evolution/parts.ts";
import { writeVCard } from "../vcard.ts";
import {
  alone,
  beside,
  given,
  type PartWriter,
  type PartWriters,
  type WireMembers,
} from "../part_writers.ts";
import type { WrittenPartName } from "../written_parts.ts";
import { toChatId, writeId } from "./ids.ts";

/** A part of WhatsApp's own message object, which both gateways pass on alike. */
function ofProtocol<Name extends WrittenPartName>(
  writer: PartWriter<Name> | null,
): PartWriter<Name> | null {
  return writer === null
    ? null
    : { ...writer, write: (part, reply) => ({ _data: writer.write(part, reply) }) };
}

/** Members beside the content: WhatsApp's `contextInfo`, in the member that holds the content. */
function addContext(contextInfo: WireMembers, { content }: SimulatedReply): WireMembers {
  const message = content.messageType === "text"
    ? { conversation: undefined, extendedTextMessage: { text: content.text, contextInfo } }
    : {
      [`${content.messageType === "voice" ? "audio" : content.messageType}Message`]: {
        contextInfo,
      },
    };
  return { _data: { message } };
}

export const wahaParts: PartWriters = {
  location: ofProtocol(evolutionParts.location),
  contacts: alone((cards, reply) => ({
    vCards: cards.map(writeVCard),
    _data: evolutionParts.contacts?.write(cards, reply),
  })),
  order: ofProtocol(evolutionParts.order),
  product: ofProtocol(evolutionParts.product),
  flowAnswer: ofProtocol(evolutionParts.flowAnswer),
  payment: ofProtocol(evolutionParts.payment),
  poll: ofProtocol(evolutionParts.poll),
  event: ofProtocol(evolutionParts.event),
  menu: ofProtocol(evolutionParts.menu),
  groupInvite: ofProtocol(evolutionParts.groupInvite),
  preview: ofProtocol(evolutionParts.preview),
  isViewOnce: ofProtocol(evolutionParts.isViewOnce),
  isGif: ofProtocol(evolutionParts.isGif),
  // `message.reaction`. Its timestamp has a fraction.
  reaction: alone(({ providerMessageId, emoji }, { waId, receivedAt }) => ({
    timestamp: Date.parse(receivedAt) / 1_000 + 0.853,
    reaction: { text: emoji ?? "", messageId: writeId(toChatId(waId), providerMessageId, true) },
    _data: undefined,
  })),
  // `poll.vote`
  pollVote: alone(({ pollId, options }, { waId, providerMessageId, receivedAt }) => {
    const chat = toChatId(waId);
    return {
      vote: {
        id: writeId(chat, providerMessageId, false),
        to: "me",
        from: chat,
        fromMe: false,
        selectedOptions: options,
        timestamp: Math.floor(Date.parse(receivedAt) / 1_000),
      },
      poll: { id: writeId(chat, pollId ?? "", true), to: chat, from: "me", fromMe: true },
      _data: undefined,
    };
  }),
  // `event.response`
  eventAnswer: alone(({ answer, eventId }, { waId, receivedAt }) => ({
    eventCreationKey: eventId === undefined ? undefined : {
      id: writeId(toChatId(waId), eventId, true),
      fromMe: true,
    },
    eventResponse: {
      response: answer.toUpperCase(),
      timestampMs: Date.parse(receivedAt),
      extraGuestCount: 0,
    },
    _data: undefined,
  })),
  // `call.rejected`, with the caller and the instant of every message.
  call: alone(({ kind }, { providerMessageId }) => ({
    id: providerMessageId,
    isVideo: kind === "video",
    isGroup: false,
    _data: undefined,
  })),
  context: beside((context, reply) =>
    addContext({
      ...given({
        isForwarded: context.isForwarded,
        remoteJid: context.isStatusReply ? "status@broadcast" : undefined,
        mentionedJid: context.mentions?.map((phone) => `${phone}@s.whatsapp.net`),
        expiration: context.expiresInSeconds,
      }),
      ...(context.isFrequentlyForwarded ? { isForwarded: true, forwardingScore: 127 } : {}),
    }, reply)
  ),
  referral: beside((referral, reply) =>
    addContext({
      externalAdReply: given({
        title: referral.headline,
        body: referral.body,
        mediaType: referral.mediaType === "video" ? 2 : 1,
        thumbnailUrl: referral.mediaUrl,
        sourceType: referral.sourceType,
        sourceId: referral.sourceId,
        sourceUrl: referral.sourceUrl,
        ctwaClid: referral.clickId,
        greetingMessageBody: referral.welcomeMessage,
      }),
    }, reply)
  ),
  errors: null,
  unsupportedType: null,
  groupId: beside((groupId, { waId, providerMessageId }) => {
    const group = groupId.includes("@") ? groupId : `${groupId}@g.us`;
    const author = toChatId(waId);
    return {
      id: writeId(group, providerMessageId, false, author),
      from: group,
      participant: author,
    };
  }),
};
