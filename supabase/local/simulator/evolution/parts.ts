/** What a person sends beside words, in WhatsApp's own message object, as Evolution API passes it on. */
import type { ReceivedPart } from "../../../../shared/model/received_parts.ts";
import type { SimulatedReply } from "../records.ts";
import { writeVCard } from "../vcard.ts";
import {
  alone,
  beside,
  besideFile,
  countParts,
  given,
  type PartWriters,
  toUnixSeconds,
  type WireMembers,
} from "../part_writers.ts";

/** WhatsApp's protocol counts money in thousandths. */
const parts = 1_000;

export const evolutionParts: PartWriters = {
  location: alone(({ latitude, longitude, isLive, ...place }) => ({
    message: {
      [isLive ? "liveLocationMessage" : "locationMessage"]: given({
        degreesLatitude: latitude,
        degreesLongitude: longitude,
        ...place,
      }),
    },
  })),
  contacts: alone((cards) => {
    const contacts = cards.map((card) => ({ displayName: card.name, vcard: writeVCard(card) }));
    return contacts.length === 1 ? { message: { contactMessage: contacts[0] } } : {
      message: {
        contactsArrayMessage: { displayName: `${contacts.length} contatos`, contacts },
      },
    };
  }),
  reaction: alone(({ providerMessageId: id, emoji }, { waId }) => ({
    message: {
      reactionMessage: {
        key: { remoteJid: `${waId}@s.whatsapp.net`, fromMe: true, id },
        text: emoji ?? "",
      },
    },
  })),
  // WhatsApp tells the sum and the number of products, not the products.
  order: alone((order) => ({
    message: {
      orderMessage: given({
        orderId: order.orderId,
        itemCount: order.itemCount ?? order.items.length,
        message: order.note,
        orderTitle: order.title,
        token: order.token,
        totalAmount1000: countParts(order.total, parts),
        totalCurrencyCode: order.currency,
      }),
    },
  })),
  product: alone(({ name, price, currency, productId, description, url }) => ({
    message: {
      productMessage: {
        product: given({
          productId,
          title: name,
          description,
          currencyCode: currency,
          priceAmount1000: countParts(price, parts),
          url,
        }),
      },
    },
  })),
  flowAnswer: alone(({ name, token, data }) => ({
    message: {
      interactiveResponseMessage: {
        body: { text: "Enviado" },
        nativeFlowResponseMessage: {
          name: name ?? "flow",
          paramsJson: JSON.stringify({ flow_token: token, ...data }),
        },
      },
    },
  })),
  // An order to be paid and a PIX key are messages of businesses, which come as a menu.
  payment: alone(writePayment, ({ kind }) => Object.hasOwn(paymentMembers, kind)),
  poll: alone(({ question, options, maxOptions }) => ({
    message: {
      pollCreationMessageV3: {
        name: question,
        options: options.map((optionName) => ({ optionName })),
        selectableOptionsCount: maxOptions ?? 0,
      },
    },
  })),
  // What was chosen is encrypted. Evolution decrypts it, and tells the voters of each option beside.
  pollVote: alone(({ pollId, options }, { waId }) => ({
    message: {
      pollUpdateMessage: { pollCreationMessageKey: { id: pollId ?? "" }, vote: { encPayload: "" } },
    },
    pollUpdates: options.map((name) => ({ name, voters: [`${waId}@s.whatsapp.net`] })),
  })),
  event: alone(({ name, description, startsAt, endsAt, place, url, isCanceled }) => ({
    message: {
      eventMessage: given({
        name,
        description,
        startTime: toUnixSeconds(startsAt),
        endTime: toUnixSeconds(endsAt),
        joinLink: url,
        isCanceled: isCanceled ?? false,
        location: place === undefined ? undefined : { name: place },
      }),
    },
  })),
  eventAnswer: alone(({ answer }) => ({ message: { eventResponseMessage: { response: answer } } })),
  menu: alone(({ title, body, footer, items }) => ({
    message: {
      templateMessage: {
        hydratedTemplate: given({
          hydratedTitleText: title,
          hydratedContentText: body,
          hydratedFooterText: footer,
          hydratedButtons: items.map(writeButton),
        }),
      },
    },
  })),
  groupInvite: alone(({ groupId, name, code, expiresAt }) => ({
    message: {
      groupInviteMessage: given({
        groupJid: groupId,
        groupName: name,
        inviteCode: code,
        inviteExpiration: toUnixSeconds(expiresAt),
      }),
    },
  })),
  // The event `call`, with the caller and the instant of every message.
  call: alone(({ kind }) => ({ status: "timeout", isVideo: kind === "video" })),
  // A text with a preview is told by another member.
  preview: beside(({ url, title, description }, { content }) => ({
    message: {
      conversation: undefined,
      extendedTextMessage: {
        text: content.messageType === "text" ? content.text : url,
        ...given({ matchedText: url, title, description }),
      },
    },
  })),
  context: beside((context) => ({
    contextInfo: {
      ...given({
        isForwarded: context.isForwarded,
        remoteJid: context.isStatusReply ? "status@broadcast" : undefined,
        mentionedJid: context.mentions?.map((phone) => `${phone}@s.whatsapp.net`),
        expiration: context.expiresInSeconds,
      }),
      ...(context.isFrequentlyForwarded ? { isForwarded: true, forwardingScore: 127 } : {}),
    },
  })),
  referral: beside((referral) => ({
    contextInfo: {
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
    },
  })),
  errors: null,
  unsupportedType: null,
  groupId: beside((groupId, { waId }) => ({
    key: {
      remoteJid: groupId.includes("@") ? groupId : `${groupId}@g.us`,
      participant: `${waId}@s.whatsapp.net`,
    },
  })),
  isViewOnce: besideFile((viewOnce, reply) => ({ message: { [memberOf(reply)]: { viewOnce } } })),
  isGif: besideFile((gifPlayback, reply) => ({ message: { [memberOf(reply)]: { gifPlayback } } })),
};

/** The member that tells a file: a voice message is an audio. */
function memberOf({ content: { messageType } }: SimulatedReply): string {
  return `${messageType === "voice" ? "audio" : messageType}Message`;
}

const paymentMembers = {
  request: "requestPaymentMessage",
  payment: "sendPaymentMessage",
  invitation: "paymentInviteMessage",
  declined: "declinePaymentRequestMessage",
  canceled: "cancelPaymentRequestMessage",
} as const;

function writePayment(payment: ReceivedPart<"payment">): WireMembers {
  const { kind, amount, currency, note, expiresAt, receiver, referenceId } = payment;
  const member = Object.entries(paymentMembers).find(([known]) => known === kind)?.[1];
  return member === undefined ? {} : {
    message: {
      [member]: given({
        currencyCodeIso4217: currency,
        amount1000: countParts(amount, parts),
        requestFrom: receiver,
        noteMessage: note === undefined ? undefined : { extendedTextMessage: { text: note } },
        expiryTimestamp: toUnixSeconds(expiresAt),
        requestMessageKey: referenceId === undefined ? undefined : { id: referenceId },
      }),
    },
  };
}

function writeButton(item: ReceivedPart<"menu">["items"][number]): WireMembers {
  const displayText = item.title;
  if (item.kind === "link") return { urlButton: given({ displayText, url: item.url }) };
  if (item.kind === "phone") return { callButton: given({ displayText, phoneNumber: item.phone }) };
  return { quickReplyButton: given({ displayText, id: item.id }) };
}
