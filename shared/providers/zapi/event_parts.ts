/** Reads the parts of a Z-API message (page Webhooks, Ao receber) into the form of all providers. */
import { distinctPhones } from "../webhooks/cards.ts";
import { readCard } from "../webhooks/cards.ts";
import { pickParts } from "../webhooks/content.ts";
import {
  readLabel,
  readList,
  readMessage,
  readName,
  readPassage,
  readUrl,
} from "../webhooks/fields.ts";
import {
  defined,
  hasObject,
  readAmount,
  readAnyId,
  readCount,
  readCurrency,
  readDegrees,
  readFirstUrl,
  readInstant,
  readNumber,
  readObjects,
  readTexts,
} from "../webhooks/values.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { ReceivedPart, ReceivedParts } from "../../model/received_parts.ts";

const MAX_ITEMS = 100;
const MAX_CARDS = 20;

/** Catalog prices are in thousandths, as in WhatsApp's own protocol. */
const catalogParts = 1_000;
/** Amounts of an order's payment are in hundredths: Z-API passes on those of WhatsApp's own order. */
const paymentParts = 100;

/** A position; undefined without both coordinates. */
export function readZapiLocation(payload: unknown): ReceivedPart<"location"> | undefined {
  return readPosition(readValue(payload, "location"));
}

/** The position in a template's header; undefined for another header. */
export function readZapiHeaderLocation(payload: unknown): ReceivedPart<"location"> | undefined {
  return ["hydratedTemplate", "buttonsMessage"]
    .map((member) =>
      readPosition(readValue(payload, member, "header", "location")) ??
        readPosition(readValue(payload, member, "location"))
    ).find((place) => place !== undefined);
}

function readPosition(place: unknown): ReceivedPart<"location"> | undefined {
  const latitude = readDegrees(readValue(place, "latitude"), 90);
  const longitude = readDegrees(readValue(place, "longitude"), 180);
  if (latitude === undefined || longitude === undefined) return undefined;
  return {
    latitude,
    longitude,
    ...defined({
      name: readName(place, "name"),
      address: readPassage(place, "address"),
      url: readUrl(place, "url"),
    }),
  };
}

/** The cards of a message: one (`contact`), or several (`contacts`). */
export function readZapiCards(payload: unknown): ReceivedPart<"contacts"> {
  const cards = hasObject(payload, "contact")
    ? [readValue(payload, "contact")]
    : readList(payload, "contacts");
  return cards.slice(0, MAX_CARDS).map((card) =>
    readCard(
      readText(card, "vCard") ?? readText(card, "vcard"),
      readName(card, "displayName"),
      distinctPhones(readTexts(card, "phones")),
    )
  ).filter((card) => card !== undefined);
}

/** A cart; its prices are those of the catalog. */
export function readZapiOrder(payload: unknown): ReceivedPart<"order"> {
  const order = readValue(payload, "order");
  return {
    ...defined({
      orderId: readAnyId(order, "orderId"),
      token: readId(order, "token"),
      title: readName(order, "orderTitle"),
      itemCount: readCount(order, "itemCount"),
      subtotal: readAmount(catalogParts, order, "subTotal"),
      total: readAmount(catalogParts, order, "total"),
      currency: readCurrency(order, "currency"),
      note: readMessage(order, "message"),
    }),
    items: readItems(order, "price", catalogParts),
  };
}

function readItems(order: unknown, price: string, parts: number): ReceivedPart<"order">["items"] {
  return readObjects(order, "products").slice(0, MAX_ITEMS).map((item) => ({
    ...defined({
      productId: readAnyId(item, "retailerId") ?? readAnyId(item, "productId"),
      name: readName(item, "name"),
      quantity: readCount(item, "quantity"),
      price: readAmount(parts, item, price),
      currency: readCurrency(item, "currencyCode") ?? readCurrency(order, "currency"),
    }),
  }));
}

/** A product that the message shows. */
export function readZapiProduct(payload: unknown): ReceivedPart<"product"> | undefined {
  const product = readValue(payload, "product");
  return defined({
    productId: readAnyId(product, "retailerId") ?? readAnyId(product, "productId"),
    name: readName(product, "title"),
    description: readPassage(product, "description"),
    price: readAmount(1, product, "price"),
    currency: readCurrency(product, "currencyCode"),
    url: readUrl(product, "url"),
    imageUrl: readUrl(product, "productImage"),
  });
}

/** A request for money, a payment, or the state of an order that is paid. */
export function readZapiPayment(payload: unknown): ReceivedPart<"payment"> | undefined {
  const found = (["requestPayment", "sendPayment", "reviewAndPay", "reviewOrder"] as const)
    .find((member) => hasObject(payload, member));
  if (found === undefined) return undefined;
  const payment = readValue(payload, found);
  const info = readValue(payment, "paymentInfo");
  const items = readItems(payment, "value", paymentParts);
  const isOrder = found === "reviewAndPay" || found === "reviewOrder";
  return {
    kind: isOrder ? "order" : found === "requestPayment" ? "request" : "payment",
    ...defined({
      amount: isOrder
        ? readAmount(paymentParts, payment, "total")
        : readAmount(1, payment, "value") ?? readAmount(1, info, "value"),
      subtotal: readAmount(paymentParts, payment, "subTotal"),
      discount: readAmount(paymentParts, payment, "discount"),
      shipping: readAmount(paymentParts, payment, "shipping"),
      tax: readAmount(paymentParts, payment, "tax"),
      currency: readCurrency(payment, "currency") ?? readCurrency(payment, "currencyCode") ??
        readCurrency(info, "currencyCode"),
      status: readLabel(payment, "paymentStatus") ?? readLabel(info, "transactionStatus") ??
        readLabel(info, "status"),
      orderStatus: readLabel(payment, "orderStatus"),
      referenceId: readAnyId(payment, "referenceId"),
      reference: readAnyId(payment, "referenceId"),
      note: readPassage(payment, "message") ?? readPassage(payment, "note", "text"),
      expiresAt: readInstant(payment, "expiration"),
      receiver: readName(info, "receiverPhone"),
      items: items.length === 0 ? undefined : items,
    }),
  };
}

/** A PIX key that was sent. */
export function readZapiPixKey(payload: unknown): ReceivedPart<"payment"> | undefined {
  const pix = readValue(payload, "pixKeyMessage");
  const named = defined({
    key: readName(pix, "key"),
    keyType: readLabel(pix, "keyType"),
    receiver: readName(pix, "merchantName"),
    referenceId: readAnyId(pix, "referenceId"),
    reference: readAnyId(pix, "referenceId"),
    currency: readCurrency(pix, "currency"),
  });
  return named === undefined ? undefined : { kind: "pix", ...named };
}

/** A poll; undefined without a question. */
export function readZapiPoll(payload: unknown): ReceivedPart<"poll"> | undefined {
  const question = readPassage(payload, "poll", "question");
  if (question === undefined) return undefined;
  const options = readList(payload, "poll", "options").slice(0, MAX_ITEMS)
    .map((option) => readName(option, "name")).filter((option) => option !== undefined);
  return {
    question,
    options,
    ...defined({ maxOptions: readCount(payload, "poll", "pollMaxOptions") }),
  };
}

/** A vote: all that the person chooses now. */
export function readZapiVote(payload: unknown): ReceivedPart<"pollVote"> {
  return {
    ...defined({ pollId: readId(payload, "pollVote", "pollMessageId") }),
    options: readList(payload, "pollVote", "options").slice(0, MAX_ITEMS)
      .map((option) => readName(option, "name")).filter((option) => option !== undefined),
  };
}

/** An invitation to an event; undefined without a name. */
export function readZapiEvent(payload: unknown): ReceivedPart<"event"> | undefined {
  const event = readValue(payload, "event");
  const name = readName(event, "name");
  if (name === undefined) return undefined;
  return {
    name,
    ...defined({
      description: readPassage(event, "description"),
      startsAt: readInstant(event, "scheduleTime"),
      endsAt: readInstant(event, "endTime"),
      place: readName(event, "location", "name"),
      url: readUrl(event, "callLink") ?? readUrl(event, "joinLink"),
      isCanceled: readValue(event, "canceled") === true ? true as const : undefined,
    }),
  };
}

/** An answer to an invitation; undefined without a word. */
export function readZapiEventAnswer(payload: unknown): ReceivedPart<"eventAnswer"> | undefined {
  const answer = readLabel(payload, "eventResponse", "response")?.toLowerCase();
  const eventId = readId(payload, "eventResponse", "referencedMessage", "messageId");
  return answer === undefined ? undefined : { ...defined({ eventId }), answer };
}

/** What stands beside any kind of message: forwarding, the ad, a link's preview, view once. */
export function readZapiSurroundings(payload: unknown): ReceivedParts {
  return pickParts({
    context: readContext(payload),
    referral: readReferral(readValue(payload, "externalAdReply")),
    preview: readPreview(payload),
    isViewOnce: ["image", "video", "audio", "ptv"].some((member) =>
        readValue(payload, member, "viewOnce") === true
      ) || readValue(payload, "viewOnce") === true
      ? true
      : undefined,
    isGif: readValue(payload, "video", "isGif") === true ? true : undefined,
  });
}

function readContext(payload: unknown): ReceivedPart<"context"> | undefined {
  const isSet = (name: string): true | undefined =>
    readValue(payload, name) === true ? true : undefined;
  const mentions = readTexts(payload, "mentioned");
  const expiresInSeconds = readCount(payload, "messageExpirationSeconds");
  const score = readNumber(payload, "forwardingScore") ?? 0;
  return defined({
    isForwarded: isSet("forwarded"),
    isFrequentlyForwarded: score >= 4 ? true as const : undefined,
    isStatusReply: isSet("isStatusReply"),
    isBroadcast: isSet("broadcast"),
    mentions: mentions.length === 0 ? undefined : mentions,
    expiresInSeconds: (expiresInSeconds ?? 0) > 0 ? expiresInSeconds : undefined,
  });
}

const adMediaTypes: Readonly<Record<number, string>> = { 1: "image", 2: "video" };

function readReferral(ad: unknown): ReceivedPart<"referral"> | undefined {
  const isVideo = readNumber(ad, "mediaType") === 2;
  return defined({
    sourceType: readLabel(ad, "sourceType"),
    sourceId: readAnyId(ad, "sourceId"),
    sourceUrl: readUrl(ad, "sourceUrl"),
    headline: readPassage(ad, "title"),
    body: readPassage(ad, "body"),
    clickId: readId(ad, "ctwaClid"),
    mediaUrl: readFirstUrl(ad, ["mediaUrl", "thumbnailUrl"]),
    imageUrl: readFirstUrl(ad, [
      "originalImageUrl",
      ...(isVideo ? [] : ["mediaUrl"]),
      "thumbnailUrl",
    ]),
    videoUrl: isVideo ? readUrl(ad, "mediaUrl") : undefined,
    mediaType: adMediaTypes[readNumber(ad, "mediaType") ?? 0],
  });
}

/** The preview of a link. That of an ad is the referral. */
function readPreview(payload: unknown): ReceivedPart<"preview"> | undefined {
  return hasObject(payload, "externalAdReply") ? undefined : defined({
    url: readUrl(payload, "text", "url"),
    title: readName(payload, "text", "title"),
    description: readPassage(payload, "text", "description"),
  });
}
