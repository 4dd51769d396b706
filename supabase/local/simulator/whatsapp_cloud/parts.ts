/** What a person sends beside words, as Meta tells it (page Webhooks, messages). */
import type { ReceivedPart } from "../../../../shared/model/received_parts.ts";
import { alone, beside, given, type PartWriters, type WireMembers } from "../part_writers.ts";

export const cloudParts: PartWriters = {
  location: alone((location) => ({ type: "location", location: given(location) })),
  contacts: alone((cards) => ({ type: "contacts", contacts: cards.map(writeCard) })),
  reaction: alone(({ providerMessageId: message_id, emoji }) => ({
    type: "reaction",
    // Without an emoji the reaction is taken back.
    reaction: { message_id, ...(emoji === null ? {} : { emoji }) },
  })),
  order: alone(({ catalogId, note, items }) => ({
    type: "order",
    order: given({
      catalog_id: catalogId,
      text: note,
      product_items: items.map((item) =>
        given({
          product_retailer_id: item.productId,
          quantity: item.quantity,
          item_price: item.price === undefined ? undefined : Number(item.price),
          currency: item.currency,
        })
      ),
    }),
  })),
  product: beside(({ catalogId, productId }) => ({
    context: {
      referred_product: given({ catalog_id: catalogId, product_retailer_id: productId }),
    },
  })),
  flowAnswer: alone(({ name, token, data }) => ({
    type: "interactive",
    interactive: {
      type: "nfm_reply",
      nfm_reply: {
        name: name ?? "flow",
        body: "Sent",
        response_json: JSON.stringify({ flow_token: token, ...data }),
      },
    },
  })),
  payment: null,
  poll: null,
  pollVote: null,
  event: null,
  eventAnswer: null,
  menu: null,
  groupInvite: null,
  // In the field `calls`, with the caller and the instant of every message.
  call: alone(() => ({ event: "terminate", direction: "USER_INITIATED", status: "FAILED" })),
  preview: null,
  context: beside(({ isForwarded, isFrequentlyForwarded }) => ({
    context: given({ forwarded: isForwarded, frequently_forwarded: isFrequentlyForwarded }),
  })),
  referral: beside((referral) => ({
    referral: given({
      source_url: referral.sourceUrl,
      source_id: referral.sourceId,
      source_type: referral.sourceType,
      headline: referral.headline,
      body: referral.body,
      media_type: referral.mediaType,
      [referral.mediaType === "video" ? "video_url" : "image_url"]: referral.mediaUrl,
      ctwa_clid: referral.clickId,
      welcome_message: referral.welcomeMessage === undefined
        ? undefined
        : { text: referral.welcomeMessage },
    }),
  })),
  errors: alone((errors) => ({
    type: "unsupported",
    errors: errors.map(({ code, title, details }) => ({
      code: Number(code),
      title,
      message: title,
      error_data: { details },
    })),
  })),
  unsupportedType: alone((type) => ({ type: "unsupported", unsupported: { type } })),
  groupId: beside((group_id) => ({ group_id })),
  isViewOnce: null,
  isGif: null,
};

function writeCard(card: ReceivedPart<"contacts">[number]): WireMembers {
  return given({
    name: { formatted_name: card.name, first_name: card.name },
    phones: card.phones.map((phone) => ({
      phone,
      wa_id: phone.replace(/\D/g, ""),
      type: "CELL",
    })),
    emails: card.emails?.map((email) => ({ email, type: "WORK" })),
    org: card.organization === undefined ? undefined : { company: card.organization },
    urls: card.urls?.map((url) => ({ url, type: "WORK" })),
    addresses: card.addresses?.map((street) => ({ street, type: "WORK" })),
    birthday: card.birthday,
  });
}
