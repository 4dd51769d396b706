/** Reads what stands beside any kind of message of Evolution API: WhatsApp's `contextInfo`. */
import { pickParts } from "../webhooks/content.ts";
import { normalizeAddress } from "../webhooks/addresses.ts";
import { readLabel, readList, readName, readPassage, readUrl } from "../webhooks/fields.ts";
import { defined, readAnyId, readCount, readFirstUrl, readNumber } from "../webhooks/values.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { ReceivedPart, ReceivedParts } from "../../model/received_parts.ts";
import type { UnwrappedMessage } from "./wrapped_message.ts";

const MAX_MENTIONS = 50;
/** From this score on WhatsApp shows a message as forwarded many times. */
const OFTEN = 4;

/**
 * The parts beside a message. Evolution repeats `contextInfo` beside the
 * message (source, 2.3.6), but not that of a wrapped one, which has it in its own member.
 */
export function readEvolutionSurroundings(
  data: unknown,
  { message, wrappers }: UnwrappedMessage,
): ReceivedParts {
  const info = readContextInfo(data, message);
  return pickParts({
    context: readContext(info),
    referral: readReferral(info),
    preview: readPreview(message),
    isViewOnce: isViewOnce(message, wrappers) ? true : undefined,
    isGif: readValue(message, "videoMessage", "gifPlayback") === true ? true : undefined,
  });
}

function readContextInfo(data: unknown, message: unknown): unknown {
  const beside = readValue(data, "contextInfo");
  if (typeof beside === "object" && beside !== null) return beside;
  if (typeof message !== "object" || message === null) return undefined;
  return Object.keys(message).map((member) => readValue(message, member, "contextInfo"))
    .find((info) => typeof info === "object" && info !== null);
}

function readContext(info: unknown): ReceivedPart<"context"> | undefined {
  const score = readNumber(info, "forwardingScore") ?? 0;
  const isForwarded = readValue(info, "isForwarded") === true || score > 0;
  const mentions = readList(info, "mentionedJid").slice(0, MAX_MENTIONS)
    .map((jid) => normalizeAddress(jid)).filter((jid) => jid !== undefined);
  const expiresInSeconds = readCount(info, "expiration");
  return defined({
    isForwarded: isForwarded ? true as const : undefined,
    isFrequentlyForwarded: score >= OFTEN ? true as const : undefined,
    isStatusReply: readText(info, "remoteJid") === "status@broadcast" ? true as const : undefined,
    mentions: mentions.length === 0 ? undefined : mentions,
    expiresInSeconds: (expiresInSeconds ?? 0) > 0 ? expiresInSeconds : undefined,
  });
}

const adMediaTypes: Readonly<Record<string, string>> = {
  ...{ 1: "image", 2: "video", IMAGE: "image", VIDEO: "video" },
};

/** The ad, in WhatsApp's own shape; only the click where nothing else is told. */
function readReferral(info: unknown): ReceivedPart<"referral"> | undefined {
  const ad = readValue(info, "externalAdReply");
  const isAd = readText(ad, "sourceType") !== undefined || readId(ad, "sourceId") !== undefined ||
    readText(ad, "ctwaClid") !== undefined || readValue(ad, "showAdAttribution") === true;
  const mediaType = String(readValue(ad, "mediaType") ?? "");
  const isVideo = Object.hasOwn(adMediaTypes, mediaType) && adMediaTypes[mediaType] === "video";
  return isAd
    ? defined({
      sourceType: readLabel(ad, "sourceType"),
      sourceId: readAnyId(ad, "sourceId"),
      sourceUrl: readUrl(ad, "sourceUrl"),
      headline: readPassage(ad, "title"),
      body: readPassage(ad, "body"),
      clickId: readId(ad, "ctwaClid"),
      mediaUrl: readFirstUrl(ad, ["mediaUrl", "originalImageUrl", "thumbnailUrl"]),
      imageUrl: readFirstUrl(ad, [
        "originalImageUrl",
        ...(isVideo ? [] : ["mediaUrl"]),
        "thumbnailUrl",
      ]),
      videoUrl: isVideo ? readUrl(ad, "mediaUrl") : undefined,
      mediaType: Object.hasOwn(adMediaTypes, mediaType) ? adMediaTypes[mediaType] : undefined,
      welcomeMessage: readPassage(ad, "greetingMessageBody"),
    })
    : defined({
      sourceType: readLabel(info, "entryPointConversionSource") === "ctwa_ad" ? "ad" : undefined,
    });
}

/** The preview of a link in a text. */
function readPreview(message: unknown): ReceivedPart<"preview"> | undefined {
  const text = readValue(message, "extendedTextMessage");
  return defined({
    url: readUrl(text, "matchedText") ?? readUrl(text, "canonicalUrl"),
    title: readName(text, "title"),
    description: readPassage(text, "description"),
  });
}

function isViewOnce(message: unknown, wrappers: readonly string[]): boolean {
  return wrappers.some((member) => member.startsWith("viewOnceMessage")) ||
    ["imageMessage", "videoMessage", "audioMessage"].some((member) =>
      readValue(message, member, "viewOnce") === true
    );
}
