/** Reads the content of a message of the engine WEBJS, whose `_data` names its kind (`type`). */
import {
  type EventContent,
  pickParts,
  toChoice,
  toPart,
  toUnknownKind,
} from "../webhooks/content.ts";
import { normalizeAddress } from "../webhooks/addresses.ts";
import {
  readLabel,
  readList,
  readMessage,
  readName,
  readPassage,
  readUrl,
} from "../webhooks/fields.ts";
import type { FileMessageType } from "../webhooks/provider_event.ts";
import {
  defined,
  readAmount,
  readAnyId,
  readCount,
  readCurrency,
  readNumber,
} from "../webhooks/values.ts";
import { readId, readValue } from "../../model/json_value.ts";
import type { ReceivedPart, ReceivedParts } from "../../model/received_parts.ts";

const MAX_OPTIONS = 100;
const MAX_MENTIONS = 50;
/** From this score on WhatsApp shows a message as forwarded many times. */
const OFTEN = 4;
/** WhatsApp's protocol counts money in thousandths of the currency's unit. */
const parts = 1_000;

const files: Readonly<Record<string, FileMessageType>> = {
  ...{ image: "image", video: "video", ptv: "video", audio: "audio", ptt: "voice" },
  ...{ document: "document", sticker: "sticker" },
};

/** Kinds without content for the history: keys, notices, votes (`poll.vote` tells them), calls. */
const silent = new Set([
  ...["e2e_notification", "notification", "notification_template", "broadcast_notification", "gp2"],
  ...["ciphertext", "protocol", "revoked", "reaction", "call_log", "debug", "pinned_message"],
  ...["keep_in_chat", "poll_vote", "poll_update", "newsletter_notification", "album", "unknown"],
]);

type Reader = (data: unknown, body: string | undefined) => EventContent | undefined;

const kinds: Readonly<Record<string, Reader>> = {
  chat: (_, body) => body === undefined ? undefined : { messageType: "text", message: body },
  list_response: (data, body) =>
    toChoice(
      "option_list",
      readId(data, "listResponse", "singleSelectReply", "selectedRowId"),
      readMessage(data, "listResponse", "title") ?? body,
      readName(data, "listResponse", "description"),
    ),
  buttons_response: (data, body) => toChoice("choice", readId(data, "selectedButtonId"), body),
  template_button_reply: (data, body) => toChoice("choice", readId(data, "selectedId"), body),
  order: (data) =>
    toPart("order", "order", {
      ...defined({
        orderId: readAnyId(data, "orderId"),
        token: readId(data, "token"),
        title: readName(data, "orderTitle"),
        itemCount: readCount(data, "itemCount"),
        total: readAmount(parts, data, "totalAmount1000"),
        currency: readCurrency(data, "totalCurrencyCode"),
        note: readMessage(data, "message"),
      }),
      items: [],
    }),
  product: (data) => toPart("other", "product", readProduct(data)),
  poll_creation: (data) => toPart("poll", "poll", readPoll(data)),
};

/** The content by its kind; undefined for one without content, and for another engine's message. */
export function readWebjsContent(payload: unknown): EventContent | undefined {
  const data = readValue(payload, "_data");
  const type = readLabel(data, "type") ?? "";
  const body = readMessage(payload, "body");
  const file = Object.hasOwn(files, type) ? files[type] : undefined;
  const content: EventContent | undefined = file !== undefined
    ? { messageType: file, message: body, mediaFilename: readName(data, "filename") }
    : Object.hasOwn(kinds, type)
    ? kinds[type]?.(data, body)
    : undefined;
  return content === undefined ? undefined : { ...readSurroundings(data), ...content };
}

/** Whether a message is one without content. */
export function isWebjsNotice(payload: unknown): boolean {
  return silent.has(readLabel(payload, "_data", "type") ?? "");
}

/** An unknown kind of message, with the words in it. */
export function readWebjsUnknown(payload: unknown): EventContent | undefined {
  const data = readValue(payload, "_data");
  return readLabel(data, "type") === undefined ? undefined : toUnknownKind({
    title: readValue(data, "title"),
    body: readValue(payload, "body"),
    caption: readValue(data, "caption"),
    footer: readValue(data, "footer"),
  });
}

function readProduct(data: unknown): ReceivedPart<"product"> | undefined {
  return defined({
    productId: readAnyId(data, "retailerId") ?? readAnyId(data, "productId"),
    name: readName(data, "title"),
    description: readPassage(data, "description"),
    price: readAmount(parts, data, "priceAmount1000"),
    currency: readCurrency(data, "currencyCode"),
    url: readUrl(data, "url"),
  });
}

function readPoll(data: unknown): ReceivedPart<"poll"> | undefined {
  const question = readPassage(data, "pollName");
  return question === undefined ? undefined : {
    question,
    options: readList(data, "pollOptions").slice(0, MAX_OPTIONS)
      .map((option) => readName(option, "name")).filter((name) => name !== undefined),
    ...defined({ maxOptions: readCount(data, "pollSelectableOptionsCount") }),
  };
}

function readSurroundings(data: unknown): ReceivedParts {
  const score = readNumber(data, "forwardingScore") ?? 0;
  const isForwarded = readValue(data, "isForwarded") === true || score > 0;
  const mentions = readList(data, "mentionedJidList").slice(0, MAX_MENTIONS)
    .map((jid) => normalizeAddress(jid)).filter((jid) => jid !== undefined);
  const expiresInSeconds = readCount(data, "ephemeralDuration");
  return pickParts({
    context: defined({
      isForwarded: isForwarded ? true as const : undefined,
      isFrequentlyForwarded: score >= OFTEN ? true as const : undefined,
      mentions: mentions.length === 0 ? undefined : mentions,
      expiresInSeconds: (expiresInSeconds ?? 0) > 0 ? expiresInSeconds : undefined,
    }),
    referral: readReferral(readValue(data, "ctwaContext")),
    isViewOnce: readValue(data, "isViewOnce") === true ? true : undefined,
    isGif: readValue(data, "isGif") === true ? true : undefined,
  });
}

/** The ad that brought the person. */
function readReferral(ad: unknown): ReceivedPart<"referral"> | undefined {
  return defined({
    sourceType: readLabel(ad, "sourceType"),
    sourceId: readAnyId(ad, "sourceId"),
    sourceUrl: readUrl(ad, "sourceUrl"),
    headline: readPassage(ad, "title"),
    body: readPassage(ad, "description"),
    clickId: readId(ad, "ctwaClid"),
    imageUrl: readUrl(ad, "thumbnailUrl"),
  });
}
