/** What a person sends beside words, as Z-API tells it (page Webhooks, Ao receber). */
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
  toMs,
  type WireMembers,
} from "../part_writers.ts";

/** Catalog prices are in thousandths, payments of orders in hundredths. */
const [catalogParts, paymentParts] = [1_000, 100];

export const zapiParts: PartWriters = {
  location: alone((location) => ({ location: given(location) })),
  contacts: alone((cards) => {
    const written = cards.map((card) => ({
      displayName: card.name,
      vCard: writeVCard(card),
      phones: card.phones.map((phone) => phone.replace(/\D/g, "")),
    }));
    return written.length === 1 ? { contact: written[0] } : { contacts: written };
  }),
  reaction: alone(({ providerMessageId, emoji }, reply) => ({
    reaction: {
      value: emoji ?? "",
      time: Date.parse(reply.receivedAt),
      reactionBy: reply.waId,
      referencedMessage: { messageId: providerMessageId, fromMe: false, phone: reply.waId },
    },
  })),
  order: alone(writeOrder),
  product: alone(({ name, imageUrl, price, currency, catalogId: _, ...product }) => ({
    product: given({
      ...product,
      title: name,
      productImage: imageUrl,
      currencyCode: currency,
      price: price === undefined ? undefined : Number(price),
    }),
  })),
  flowAnswer: null,
  payment: alone(writePayment, ({ kind }) => told.includes(kind)),
  poll: alone(({ question, options, maxOptions }) => ({
    poll: {
      question,
      options: options.map((name) => ({ name })),
      pollMaxOptions: maxOptions ?? 0,
    },
  })),
  pollVote: alone(({ pollId, options }) => ({
    pollVote: { pollMessageId: pollId ?? "", options: options.map((name) => ({ name })) },
  })),
  event: alone(({ name, description, startsAt, endsAt, place, url, isCanceled }) => ({
    event: given({
      name,
      description,
      scheduleTime: toMs(startsAt),
      endTime: toMs(endsAt),
      joinLink: url,
      canceled: isCanceled ?? false,
      location: place === undefined ? undefined : { name: place },
    }),
  })),
  eventAnswer: alone(({ eventId, answer }) => ({
    eventResponse: {
      response: answer.toUpperCase(),
      referencedMessage: { messageId: eventId ?? "" },
    },
  })),
  menu: alone(({ title, body, footer, mediaUrl, items }) => ({
    hydratedTemplate: given({
      title,
      message: body,
      footer,
      header: mediaUrl === undefined ? undefined : { image: { imageUrl: mediaUrl } },
      hydratedButtons: items.map((item, index) => ({ ...writeButton(item), index: index + 1 })),
    }),
  })),
  groupInvite: null,
  call: alone(({ kind, callId }, reply) => ({
    notification: kind === "video" ? "CALL_MISSED_VIDEO" : "CALL_MISSED_VOICE",
    callId: callId ?? reply.providerMessageId,
  })),
  preview: beside((preview) => ({ text: given(preview) })),
  context: beside((context) => ({
    ...given({
      forwarded: context.isForwarded,
      isStatusReply: context.isStatusReply,
      mentioned: context.mentions,
      messageExpirationSeconds: context.expiresInSeconds,
    }),
    ...(context.isFrequentlyForwarded ? { forwarded: true, forwardingScore: 127 } : {}),
  })),
  referral: beside((referral) => ({
    externalAdReply: given({
      title: referral.headline,
      body: referral.body,
      mediaType: referral.mediaType === "video" ? 2 : 1,
      thumbnailUrl: referral.mediaUrl,
      sourceType: referral.sourceType,
      sourceId: referral.sourceId,
      ctwaClid: referral.clickId,
      sourceUrl: referral.sourceUrl,
      showAdAttribution: true,
    }),
  })),
  errors: null,
  unsupportedType: null,
  groupId: beside((groupId, { waId }) => ({
    phone: groupId.includes("-group") ? groupId : `${groupId}-group`,
    isGroup: true,
    participantPhone: waId,
    chatName: "Grupo",
  })),
  isViewOnce: besideFile((viewOnce, reply) => ({ [memberOf(reply)]: { viewOnce } })),
  isGif: besideFile((isGif, reply) => ({ [memberOf(reply)]: { isGif } })),
};

/** The member that tells a file: a voice message is an audio. */
function memberOf({ content: { messageType } }: SimulatedReply): string {
  return messageType === "voice" ? "audio" : messageType;
}

function writeOrder(order: ReceivedPart<"order">): WireMembers {
  return {
    order: given({
      itemCount: order.itemCount ?? order.items.length,
      orderId: order.orderId,
      message: order.note,
      orderTitle: order.title,
      token: order.token,
      currency: order.currency,
      total: countParts(order.total, catalogParts),
      subTotal: countParts(order.subtotal, catalogParts),
      products: order.items.map((item) =>
        given({
          quantity: item.quantity,
          name: item.name,
          retailerId: item.productId,
          price: countParts(item.price, catalogParts),
          currencyCode: item.currency,
        })
      ),
    }),
  };
}

/** The payments that Z-API tells. */
const told: readonly ReceivedPart<"payment">["kind"][] = ["request", "payment", "order", "pix"];

function writePayment(payment: ReceivedPart<"payment">): WireMembers {
  const { kind, amount, currency, status, referenceId, note, expiresAt, receiver } = payment;
  if (kind === "pix") {
    const { key, keyType } = payment;
    return {
      pixKeyMessage: given({ currency, referenceId, key, keyType, merchantName: receiver }),
    };
  }
  if (kind === "order") {
    return {
      reviewAndPay: given({
        currency,
        referenceId,
        orderStatus: payment.orderStatus,
        paymentStatus: status,
        total: countParts(amount, paymentParts),
        products: payment.items?.map((item) =>
          given({
            name: item.name,
            quantity: item.quantity,
            productId: item.productId,
            value: countParts(item.price, paymentParts),
          })
        ),
      }),
    };
  }
  const value = amount === undefined ? undefined : Number(amount);
  return {
    [kind === "payment" ? "sendPayment" : "requestPayment"]: given({
      value,
      currencyCode: currency,
      expiration: toMs(expiresAt),
      message: note,
      paymentInfo: given({ receiverPhone: receiver, value, transactionStatus: status }),
    }),
  };
}

function writeButton(item: ReceivedPart<"menu">["items"][number]): WireMembers {
  const displayText = item.title;
  if (item.kind === "link") return { urlButton: given({ displayText, url: item.url }) };
  if (item.kind === "phone") return { callButton: given({ displayText, phoneNumber: item.phone }) };
  return { quickReplyButton: given({ displayText, id: item.id }) };
}
