/** Reads the parts of a Cloud API message (page Webhooks, messages) into the form of all providers. */
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
} from "../webhooks/values.ts";
import { distinctPhones, readCard as readVCard, toCard } from "../webhooks/cards.ts";
import { readLabel, readList, readName, readPassage, readUrl } from "../webhooks/fields.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { ReceivedPart, ReceivedParts } from "../../model/received_parts.ts";
import { pickParts } from "../webhooks/content.ts";

const MAX_CARDS = 20;
const MAX_VALUES = 10;
const MAX_ERRORS = 5;

/** A position; undefined without both coordinates. */
export function readCloudLocation(message: unknown): ReceivedPart<"location"> | undefined {
  const latitude = readDegrees(readValue(message, "location", "latitude"), 90);
  const longitude = readDegrees(readValue(message, "location", "longitude"), 180);
  if (latitude === undefined || longitude === undefined) return undefined;
  return {
    latitude,
    longitude,
    ...defined({
      name: readName(message, "location", "name"),
      address: readPassage(message, "location", "address"),
      url: readUrl(message, "location", "url"),
    }),
  };
}

/** The cards of a message, those with a name or a phone. */
export function readCloudCards(message: unknown): ReceivedPart<"contacts"> {
  const sharedAs = readLabel(message, "origin");
  return readList(message, "contacts").slice(0, MAX_CARDS).map((item) => {
    const card = readCard(item);
    const origin = readLabel(item, "origin") ?? sharedAs;
    return card === undefined || origin === undefined ? card : { ...card, origin };
  }).filter((card) => card !== undefined);
}

/**
 * A payment that a status or a message tells of (pages Payments; its members vary by gateway). Undefined
 * where nothing of it is told.
 */
export function readCloudPayment(payment: unknown): ReceivedPart<"payment"> | undefined {
  const transaction = readValue(payment, "transaction") ?? readValue(payment, "transactions", 0);
  const sum = hasObject(payment, "amount") ? payment : transaction;
  const offset = readCount(sum, "amount", "offset") ?? 100;
  const told = defined({
    amount: readAmount(offset > 0 ? offset : 100, sum, "amount", "value"),
    currency: readCurrency(payment, "currency") ?? readCurrency(transaction, "currency"),
    method: readLabel(payment, "payment_method") ?? readLabel(transaction, "method", "type") ??
      readLabel(transaction, "method") ?? readLabel(transaction, "method_type"),
    transactionId: readAnyId(transaction, "id") ?? readAnyId(payment, "credential_id"),
    lastDigits: readAnyId(payment, "last_four_digits"),
    paidAt: readInstant(payment, "payment_timestamp") ??
      readInstant(transaction, "updated_timestamp"),
    status: readLabel(payment, "status") ?? readLabel(transaction, "status"),
    referenceId: readAnyId(payment, "reference_id"),
    reference: readAnyId(payment, "reference_id"),
    receiver: readName(payment, "receiver"),
  });
  return told === undefined ? undefined : { kind: "payment", ...told };
}

function readCard(card: unknown): ReceivedPart<"contacts">[number] | undefined {
  const list = <Value>(member: string, read: (item: unknown) => Value | undefined): Value[] =>
    readList(card, member).slice(0, MAX_VALUES).map(read).filter((value) => value !== undefined);
  const phones = distinctPhones(
    list("phones", (phone) => [readName(phone, "phone"), readName(phone, "wa_id")]).flat(),
  );
  const name = readName(card, "name", "formatted_name") ?? readName(card, "name", "first_name");
  const vCard = readText(card, "vcard") ?? readText(card, "vCard");
  if (vCard !== undefined && name === undefined) return readVCard(vCard, undefined, phones);
  if (name === undefined && phones.length === 0) return undefined;
  const organization = ["company", "department", "title"].map((member) =>
    readName(card, "org", member)
  ).filter((word) => word !== undefined).join(", ");
  return toCard({
    name: name ?? phones[0] ?? "",
    phones,
    emails: list("emails", (email) => readName(email, "email")),
    organization,
    urls: list("urls", (url) => readName(url, "url")),
    addresses: list("addresses", describeAddress),
    birthday: readName(card, "birthday"),
  });
}

function describeAddress(address: unknown): string | undefined {
  const words = ["street", "city", "state", "zip", "country"].map((member) =>
    readName(address, member)
  );
  return words.filter((word) => word !== undefined).join(", ") || undefined;
}

/** What stands beside any kind of message: forwarding, the ad, the product asked about, errors. */
export function readCloudSurroundings(message: unknown): ReceivedParts {
  return pickParts({
    context: readContext(message),
    referral: readReferral(readValue(message, "referral")),
    product: readReferredProduct(readValue(message, "context", "referred_product")),
    errors: readErrors(message),
    unsupportedType: readLabel(message, "unsupported", "type"),
  });
}

function readContext(message: unknown): ReceivedPart<"context"> | undefined {
  const isSet = (name: string): true | undefined =>
    readValue(message, "context", name) === true ? true : undefined;
  return defined({
    isForwarded: isSet("forwarded") ?? isSet("frequently_forwarded"),
    isFrequentlyForwarded: isSet("frequently_forwarded"),
  });
}

function readReferral(referral: unknown): ReceivedPart<"referral"> | undefined {
  return defined({
    sourceType: readLabel(referral, "source_type"),
    sourceId: readAnyId(referral, "source_id"),
    sourceUrl: readUrl(referral, "source_url"),
    headline: readPassage(referral, "headline"),
    body: readPassage(referral, "body"),
    clickId: readId(referral, "ctwa_clid"),
    mediaUrl: readFirstUrl(referral, ["image_url", "video_url", "thumbnail_url"]),
    imageUrl: readFirstUrl(referral, ["image_url", "thumbnail_url"]),
    videoUrl: readUrl(referral, "video_url"),
    mediaType: readLabel(referral, "media_type"),
    welcomeMessage: readPassage(referral, "welcome_message", "text"),
  });
}

function readReferredProduct(product: unknown): ReceivedPart<"product"> | undefined {
  return defined({
    productId: readAnyId(product, "product_retailer_id"),
    catalogId: readAnyId(product, "catalog_id"),
  });
}

function readErrors(message: unknown): ReceivedPart<"errors"> | undefined {
  const errors = readList(message, "errors").slice(0, MAX_ERRORS).map((error) =>
    defined({
      code: readAnyId(error, "code"),
      title: readName(error, "title") ?? readName(error, "message"),
      details: readPassage(error, "error_data", "details") ?? readPassage(error, "details"),
    })
  ).filter((error) => error !== undefined);
  return errors.length === 0 ? undefined : errors;
}
