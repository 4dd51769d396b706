/** Reads the parts of a Cloud API message (page Webhooks, messages) into the form of all providers. */
import { readDegrees } from "../webhooks/values.ts";
import { defined, readAnyId, readFirstUrl } from "../webhooks/values.ts";
import { distinctPhones, toCard } from "../webhooks/cards.ts";
import { readLabel, readList, readName, readPassage, readUrl } from "../webhooks/fields.ts";
import { readId, readValue } from "../../model/json_value.ts";
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
  return readList(message, "contacts").slice(0, MAX_CARDS).map(readCard)
    .filter((card) => card !== undefined);
}

function readCard(card: unknown): ReceivedPart<"contacts">[number] | undefined {
  const list = <Value>(member: string, read: (item: unknown) => Value | undefined): Value[] =>
    readList(card, member).slice(0, MAX_VALUES).map(read).filter((value) => value !== undefined);
  const phones = distinctPhones(
    list("phones", (phone) => [readName(phone, "phone"), readName(phone, "wa_id")]).flat(),
  );
  const name = readName(card, "name", "formatted_name") ?? readName(card, "name", "first_name");
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
