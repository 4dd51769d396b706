/** Reads the parts of WhatsApp's own message object, as Evolution API passes it on. */
import { readCatalogOrder } from "../webhooks/catalog_order.ts";
import { readCard } from "../webhooks/cards.ts";
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
  readInstant,
} from "../webhooks/values.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { ReceivedPart } from "../../model/received_parts.ts";

const MAX_ITEMS = 100;
const MAX_CARDS = 20;

/** WhatsApp's protocol counts money in thousandths of the currency's unit. */
const parts = 1_000;

/** A position; undefined without both coordinates. */
export function readEvolutionLocation(
  message: unknown,
  member: string,
): ReceivedPart<"location"> | undefined {
  const latitude = readDegrees(readValue(message, member, "degreesLatitude"), 90);
  const longitude = readDegrees(readValue(message, member, "degreesLongitude"), 180);
  if (latitude === undefined || longitude === undefined) return undefined;
  const isLive = member === "liveLocationMessage" || readValue(message, member, "isLive") === true;
  return {
    latitude,
    longitude,
    ...defined({
      name: readName(message, member, "name"),
      address: readPassage(message, member, "address"),
      url: readUrl(message, member, "url"),
      isLive: isLive ? true as const : undefined,
    }),
  };
}

/** The position in the header of a template, buttons or a native flow; undefined for another header. */
export function readEvolutionHeaderLocation(
  message: unknown,
): ReceivedPart<"location"> | undefined {
  const template = readValue(message, "templateMessage");
  const headers = [
    ...["hydratedTemplate", "hydratedFourRowTemplate", "fourRowTemplate"].map((member) =>
      readValue(template, member)
    ),
    readValue(template, "interactiveMessageTemplate", "header"),
    readValue(message, "buttonsMessage"),
    readValue(message, "interactiveMessage", "header"),
  ];
  return headers.map((header) => readEvolutionLocation(header, "locationMessage"))
    .find((place) => place !== undefined);
}

/** The cards of a message, one or several. */
export function readEvolutionCards(message: unknown): ReceivedPart<"contacts"> {
  const cards = hasObject(message, "contactMessage")
    ? [readValue(message, "contactMessage")]
    : readList(message, "contactsArrayMessage", "contacts");
  return cards.slice(0, MAX_CARDS)
    .map((card) => readCard(readText(card, "vcard"), readName(card, "displayName")))
    .filter((card) => card !== undefined);
}

/** An order: WhatsApp tells its sum and its number of products, not the products. */
export function readEvolutionOrder(message: unknown): ReceivedPart<"order"> {
  const order = readValue(message, "orderMessage");
  // The business channel passes on what Meta sent (source, 2.3.7).
  if (readList(order, "product_items").length > 0) return readCatalogOrder(order);
  return {
    ...defined({
      catalogId: readAnyId(order, "catalogId"),
      orderId: readAnyId(order, "orderId"),
      token: readId(order, "token"),
      title: readName(order, "orderTitle"),
      itemCount: readCount(order, "itemCount"),
      total: readAmount(parts, order, "totalAmount1000"),
      currency: readCurrency(order, "totalCurrencyCode"),
      note: readMessage(order, "message"),
    }),
    items: [],
  };
}

/** A product that the message shows. */
export function readEvolutionProduct(message: unknown): ReceivedPart<"product"> | undefined {
  const product = readValue(message, "productMessage", "product");
  return defined({
    productId: readAnyId(product, "retailerId") ?? readAnyId(product, "productId"),
    name: readName(product, "title"),
    description: readPassage(product, "description"),
    price: readAmount(parts, product, "priceAmount1000"),
    currency: readCurrency(product, "currencyCode"),
    url: readUrl(product, "url"),
    imageUrl: readUrl(product, "productImage", "url"),
  });
}

const paymentKinds = {
  requestPaymentMessage: "request",
  sendPaymentMessage: "payment",
  paymentInviteMessage: "invitation",
  declinePaymentRequestMessage: "declined",
  cancelPaymentRequestMessage: "canceled",
} as const;

export const paymentMembers = Object.keys(paymentKinds) as readonly (keyof typeof paymentKinds)[];

/** A payment that a person asks for, makes, declines or cancels. */
export function readEvolutionPayment(message: unknown): ReceivedPart<"payment"> | undefined {
  const member = paymentMembers.find((name) => hasObject(message, name));
  if (member === undefined) return undefined;
  const payment = readValue(message, member);
  const note = readValue(payment, "noteMessage");
  return {
    kind: paymentKinds[member],
    ...defined({
      amount: readAmount(parts, payment, "amount1000") ??
        readAmount(
          Number(readCount(payment, "amount", "offset") || parts),
          payment,
          "amount",
          "value",
        ),
      currency: readCurrency(payment, "currencyCodeIso4217") ??
        readCurrency(payment, "amount", "currencyCode"),
      note: readPassage(note, "extendedTextMessage", "text") ?? readPassage(note, "conversation"),
      expiresAt: readInstant(payment, "expiryTimestamp"),
      receiver: readName(payment, "requestFrom"),
      referenceId: readAnyId(payment, "requestMessageKey", "id") ?? readAnyId(payment, "key", "id"),
    }),
  };
}

/** The member of a poll, in any version, where the message is one. */
export function findPoll(message: unknown): string | undefined {
  return findMember(message, /^pollCreationMessage(?:V\d{1,2})?$/);
}

/** The first member of a message that is an object and whose name is of this form. */
export function findMember(message: unknown, name: RegExp): string | undefined {
  return hasObject(message)
    ? Object.keys(message as object).find((member) =>
      name.test(member) && hasObject(message, member)
    )
    : undefined;
}

/** A poll; undefined without a question. */
export function readEvolutionPoll(message: unknown): ReceivedPart<"poll"> | undefined {
  const poll = readValue(message, findPoll(message) ?? "");
  const question = readPassage(poll, "name");
  if (question === undefined) return undefined;
  return {
    question,
    options: readList(poll, "options").slice(0, MAX_ITEMS)
      .map((option) => readName(option, "optionName")).filter((option) => option !== undefined),
    ...defined({ maxOptions: readCount(poll, "selectableOptionsCount") }),
  };
}

/**
 * A vote. What was chosen is encrypted; Evolution tells it where it has the poll: `pollUpdates` beside the
 * message holds the voters of each option by name.
 */
export function readEvolutionVote(data: unknown, message: unknown): ReceivedPart<"pollVote"> {
  const update = readValue(message, "pollUpdateMessage");
  const named = readList(update, "vote", "selectedOptions").slice(0, MAX_ITEMS)
    .map((option) => readName(option) ?? readName(option, "name"));
  const voted = readList(data, "pollUpdates").slice(0, MAX_ITEMS)
    .filter((option) => readList(option, "voters").length > 0)
    .map((option) => readName(option, "name"));
  return {
    ...defined({ pollId: readId(update, "pollCreationMessageKey", "id") }),
    options: [...named, ...voted].filter((option) => option !== undefined),
  };
}

/** Whether Evolution has decrypted a vote: it tells what was chosen, be it nothing. */
export function isVoteRead(data: unknown, message: unknown): boolean {
  return Array.isArray(readValue(message, "pollUpdateMessage", "vote", "selectedOptions")) ||
    Array.isArray(readValue(data, "pollUpdates"));
}

/** An invitation to an event; undefined without a name. */
export function readEvolutionEvent(message: unknown): ReceivedPart<"event"> | undefined {
  const event = readValue(message, "eventMessage");
  const name = readName(event, "name");
  if (name === undefined) return undefined;
  return {
    name,
    ...defined({
      description: readPassage(event, "description"),
      startsAt: readInstant(event, "startTime"),
      endsAt: readInstant(event, "endTime"),
      place: readName(event, "location", "name") ?? readName(event, "location", "address"),
      url: readUrl(event, "joinLink"),
      isCanceled: readValue(event, "isCanceled") === true ? true as const : undefined,
    }),
  };
}

const eventAnswers: readonly (string | undefined)[] = [undefined, "going", "not_going", "maybe"];

/** An answer to an invitation, by word or by WhatsApp's number; undefined without one. */
export function readEvolutionEventAnswer(
  message: unknown,
): ReceivedPart<"eventAnswer"> | undefined {
  const response = readValue(message, "eventResponseMessage");
  const number = readCount(response, "response");
  const answer = number === undefined
    ? readLabel(response, "response")?.toLowerCase()
    : eventAnswers[number];
  return answer === undefined ? undefined : { answer };
}

/** The member of an invitation to a group or a channel, in any version. */
export function findInvite(message: unknown): string | undefined {
  return findMember(message, /^(?:group|newsletter(?:Admin|Follower))InviteMessage(?:V\d{1,2})?$/);
}

/** An invitation to a group or a channel. */
export function readEvolutionInvite(message: unknown): ReceivedPart<"groupInvite"> | undefined {
  const member = findInvite(message) ?? "";
  const [id, name] = member.startsWith("group")
    ? ["groupJid", "groupName"] as const
    : ["newsletterJid", "newsletterName"] as const;
  const invite = readValue(message, member);
  return defined({
    groupId: readId(invite, id),
    name: readName(invite, name),
    code: readId(invite, "inviteCode"),
    expiresAt: readInstant(invite, "inviteExpiration"),
  });
}
