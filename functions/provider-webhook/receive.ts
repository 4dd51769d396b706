import type { Database } from "../../shared/database/database.ts";
import { kindOfMessageType } from "../../shared/media/media_rules.ts";
import { AppError } from "../../shared/model/errors.ts";
import { toStoredContent } from "../../shared/model/message_content.ts";
import { type ReceivedPartName, receivedPartNames } from "../../shared/model/received_parts.ts";
import { listUnknownFields } from "../../shared/providers/webhooks/known_fields.ts";
import type { ReceivingProvider } from "../../shared/providers/webhooks/receiving.ts";
import type { EmbeddedFiles } from "./embedded_files.ts";
import { parseWebhookPayload } from "../../shared/providers/webhooks/payload.ts";
import type {
  ImportedMessageEvent,
  MessageEvent,
  ProviderEvent,
} from "../../shared/providers/webhooks/provider_event.ts";
import { TimeSlices } from "../../shared/runtime/time_slices.ts";

/** One authenticated delivery, or the part of it for one instance. */
export interface Delivery {
  readonly instanceId: string;
  /** The credentials that the delivery was verified with. */
  readonly sealedProviderConfig: string;
  /** The provider's id of the instance. An address may also receive events of other instances. */
  readonly gatewayInstanceId: string | null;
  /** The stored form of the payload. */
  readonly text: string;
  /** Where a file was embedded, its member `base64` is a token: see `parseDelivery`. */
  readonly payload: unknown;
  /** The base64 of files that stand in the text as a whole. */
  readonly inlineFiles: readonly string[];
}

/**
 * Events per database call. Recording takes about 1.5 ms an event, on a busy database up to a hundred
 * times as long, and a call may take 8 s. A delivery of 3 MiB contains up to 20,000 events.
 */
const maxEventsPerCall = 50;

/** Files embedded in a gateway's payload (Evolution API, "Webhook Base64"). */
const fileMember = /"base64"\s*:\s*"([A-Za-z0-9+/=_-]*)(?:#(\d+))?"/g;

/**
 * Parses the body of a delivery to text without files, and to an object. There the member `base64` of a
 * file is `staged:<its number among the stored files>` or `inline:<its place in inlineFiles>`.
 *
 * @throws {AppError} `invalid_json` for a body that is not a JSON object.
 */
export function parseDelivery(
  body: Uint8Array,
): Pick<Delivery, "text" | "payload" | "inlineFiles"> {
  const received = new TextDecoder().decode(body);
  const inlineFiles: string[] = [];
  const named = received.replace(fileMember, (_, base64: string, place: string | undefined) => {
    if (place !== undefined) return `"base64":"staged:${place}"`;
    return base64 === "" ? '"base64":""' : `"base64":"inline:${inlineFiles.push(base64) - 1}"`;
  });
  const payload = parseWebhookPayload(named);
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
    throw new AppError("invalid_json");
  }
  return { text: received.replace(fileMember, '"base64":""'), payload, inlineFiles };
}

/**
 * Stores a delivery and its events, in one transaction per 50 events. After a failure the
 * provider delivers again, and events that are already recorded count once. Stores unknown payloads
 * too, but nothing of a delivery that only tells who types. Leaves slow work to the outbox.
 *
 * @returns the number of events that changed something; null when the instance's credentials were
 * replaced after the check, so that the delivery must be checked again.
 */
export async function recordDelivery(
  database: Database,
  { kind, webhook }: ReceivingProvider,
  delivery: Delivery,
  files: EmbeddedFiles,
): Promise<number | null> {
  const { instanceId, sealedProviderConfig, gatewayInstanceId, text, payload } = delivery;
  const readEvents = await webhook.loadEventReader();
  const events: Readonly<Record<string, unknown>>[] = [];
  const slices = new TimeSlices(instanceId);
  for (const event of readEvents(payload, gatewayInstanceId ?? undefined)) {
    if (slices.isOver) await slices.next();
    if (event !== undefined) events.push(toRecordedEvent(await takeFile(event, delivery, files)));
  }
  if (events.length > 0 && events.every(({ kind }) => kind === "presence")) {
    return await notePresences(database, delivery, events);
  }
  let total = 0;
  for (let first = 0; first === 0 || first < events.length; first += maxEventsPerCall) {
    const { recorded } = await database.rpc("record_provider_events", {
      instanceId,
      sealedProviderConfig,
      payload: first === 0 ? text : null,
      events: events.slice(first, first + maxEventsPerCall),
    });
    if (recorded === null) return null;
    total += recorded;
  }
  await countUnknownFields(database, kind, listUnknownFields(webhook.knownFields, payload));
  return total;
}

/** Prolongs the open turns of those who type. Presences are told too often to be stored. */
async function notePresences(
  database: Database,
  { instanceId, sealedProviderConfig }: Delivery,
  presences: readonly Readonly<Record<string, unknown>>[],
): Promise<number | null> {
  const addresses = presences.filter(({ isTyping }) => isTyping).slice(0, maxEventsPerCall)
    .flatMap(({ address, otherAddresses }) => [address, otherAddresses].flat() as string[]);
  if (addresses.length === 0) return 0;
  const { recorded } = await database.rpc("note_typing", {
    ...{ instanceId, sealedProviderConfig, addresses },
  });
  return recorded;
}

/** A count that fails is given up: the delivery is recorded, and must not be made again for it. */
async function countUnknownFields(
  database: Database,
  provider: string,
  fields: readonly string[],
): Promise<void> {
  if (fields.length === 0) return;
  await database.rpc("count_unknown_fields", { provider, fields }).catch(() => undefined);
}

function isMessage(event: ProviderEvent): event is MessageEvent | ImportedMessageEvent {
  return event.kind === "message" || event.kind === "imported_message";
}

/** The event of a message with what has become of its embedded file, whose place it forgets. */
async function takeFile(
  event: ProviderEvent,
  { inlineFiles }: Delivery,
  files: EmbeddedFiles,
): Promise<ProviderEvent> {
  if (!isMessage(event) || event.file?.source.embedded === undefined) return event;
  const { embedded, ...source } = event.file.source;
  const [form, place] = embedded.split(":");
  const inline = form === "inline" ? inlineFiles[Number(place)] : undefined;
  const index = inline === undefined ? Number(place) : await files.add(inline);
  const taken = form === "inline" && inline === undefined
    ? null
    : files.take(index, kindOfMessageType(event.messageType) ?? "document", event.file);
  return { ...event, file: { ...event.file, source, ...taken } };
}

/**
 * Converts a message's content to its stored form. Where the provider has a file has no place there: the
 * file is fetched and kept by itself. Leaves other events unchanged.
 */
function toRecordedEvent(event: ProviderEvent): Readonly<Record<string, unknown>> {
  if (!isMessage(event)) return { ...event };
  const { messageType, message, mediaUrl, mediaId, mediaFilename, ...rest } = event;
  const [parts, about] = splitParts(rest);
  const source = event.file === undefined ? { mediaUrl, mediaId } : {};
  return {
    ...about,
    ...toStoredContent({ messageType, message, ...source, mediaFilename, ...parts }),
  };
}

const partNames: ReadonlySet<string> = new Set(receivedPartNames);

/** The parts of a message, and what the event says of it besides. */
function splitParts<Event extends object>(
  event: Event,
): [Pick<Event, keyof Event & ReceivedPartName>, Omit<Event, ReceivedPartName>] {
  const members = Object.entries(event);
  const isPart = ([name]: [string, unknown]): boolean => partNames.has(name);
  return [
    Object.fromEntries(members.filter(isPart)) as Pick<Event, keyof Event & ReceivedPartName>,
    Object.fromEntries(members.filter((member) => !isPart(member))) as Omit<
      Event,
      ReceivedPartName
    >,
  ];
}
