/**
 * Reads the content of a WAHA message (page Receive messages). The members that all engines have come
 * first. What only `_data` tells is read where an engine tells it, and a message without it is told all the
 * same.
 */
import { readCard } from "../webhooks/cards.ts";
import { type EventContent, toPart } from "../webhooks/content.ts";
import { readList, readMessage, readName, readPassage, readUrl } from "../webhooks/fields.ts";
import { readMimeType } from "../webhooks/received_file.ts";
import { defined, readDegrees } from "../webhooks/values.ts";
import { readEvolutionContent, readQuotedId } from "../evolution/event_content.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { ReceivedPart } from "../../model/received_parts.ts";
import { fileMessageTypes } from "../webhooks/provider_event.ts";
import { readBareId } from "./message_id.ts";
import { readProtocolMessage } from "./protocol_message.ts";
import { isWebjsNotice, readWebjsContent, readWebjsUnknown } from "./webjs_content.ts";

const MAX_CARDS = 20;

/**
 * The content of a message; undefined for one without: a key exchange, a notice, a message that the phone
 * has not decrypted.
 */
export function readWahaContent(payload: unknown): EventContent | undefined {
  const content = readKind(payload);
  return content === undefined ? undefined : addFile(payload, content);
}

/** The id of the message that this one answers. Its engine tells it, or the protocol's own context. */
export function readWahaQuote(payload: unknown): string | undefined {
  const told = readBareId(payload, "replyTo", "id") ??
    readBareId(payload, "_data", "quotedStanzaID");
  return told ?? readQuotedId({ message: readProtocolMessage(payload) });
}

function readKind(payload: unknown): EventContent | undefined {
  const message = readProtocolMessage(payload);
  const told = message === undefined
    ? readWebjsContent(payload)
    : readEvolutionContent({ key: { id: readBareId(payload, "id") }, message });
  if (told !== undefined) return told;
  const cards = readCards(payload);
  if (cards.length > 0) return toPart("contacts", "contacts", cards);
  const place = readPlace(readValue(payload, "location"));
  if (place !== undefined) return toPart("location", "location", place);
  if (message !== undefined || isWebjsNotice(payload)) return undefined;
  return readFile(payload) ?? readWords(payload) ?? readWebjsUnknown(payload);
}

function readWords(payload: unknown): EventContent | undefined {
  const text = readMessage(payload, "body");
  return text === undefined ? undefined : { messageType: "text", message: text };
}

function readCards(payload: unknown): ReceivedPart<"contacts"> {
  return readList(payload, "vCards").slice(0, MAX_CARDS)
    .map((card) => readCard(readText(card), undefined)).filter((card) => card !== undefined);
}

function readPlace(place: unknown): ReceivedPart<"location"> | undefined {
  const latitude = readDegrees(readValue(place, "latitude"), 90);
  const longitude = readDegrees(readValue(place, "longitude"), 180);
  if (latitude === undefined || longitude === undefined) return undefined;
  return {
    latitude,
    longitude,
    ...defined({
      name: readName(place, "name") ?? readName(place, "description"),
      address: readPassage(place, "address"),
      url: readUrl(place, "url"),
      isLive: readValue(place, "live") === true ? true as const : undefined,
    }),
  };
}

const fileTypes: ReadonlySet<string> = new Set(fileMessageTypes);

/** A file of an engine that tells no more of it than its type. */
function readFile(payload: unknown): EventContent | undefined {
  if (readValue(payload, "hasMedia") !== true) return undefined;
  const [kind = ""] = (readMimeType(payload, "media", "mimetype") ?? "").split("/");
  const messageType = kind === "image" || kind === "video" || kind === "audio" ? kind : "document";
  return { messageType, message: readMessage(payload, "body") };
}

/** A file with where WAHA has it: by its URL, else by its message. */
function addFile(payload: unknown, content: EventContent): EventContent {
  if (!fileTypes.has(content.messageType)) return content;
  const url = readUrl(payload, "media", "url");
  const filename = readName(payload, "media", "filename") ?? content.mediaFilename;
  return {
    ...content,
    mediaUrl: url,
    mediaFilename: filename,
    file: {
      source: { url, id: readId(payload, "id") },
      mimeType: readMimeType(payload, "media", "mimetype") ?? content.file?.mimeType,
      sha256: content.file?.sha256,
      filename,
    },
  };
}
