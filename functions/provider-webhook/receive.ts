import type { Database } from "../../shared/database/database.ts";
import { AppError } from "../../shared/model/errors.ts";
import { toStoredContent } from "../../shared/model/message_content.ts";
import type { ProviderDescriptor } from "../../shared/providers/descriptor.ts";
import { parseWebhookPayload } from "../../shared/providers/webhooks/payload.ts";
import type { ProviderEvent } from "../../shared/providers/webhooks/provider_event.ts";

/** One authentic delivery, or the part of it that is about one instance. */
export interface Delivery {
  readonly instanceId: string;
  /** The credentials that the delivery was checked against. */
  readonly sealedProviderConfig: string;
  /** The provider's own id of the instance: an address may also get events of other instances. */
  readonly gatewayInstanceId: string | null;
  /** The stored form of the payload. */
  readonly text: string;
  readonly payload: unknown;
}

/**
 * Events that one database call records. It takes about 0.5 ms an event, and a call may take 8 s: a
 * delivery of 3 MiB may hold more events than that.
 */
const maxEventsPerCall = 1_000;

/** Files inside a payload of a gateway (Evolution API, "Webhook Base64"). */
const fileMember = /"base64"\s*:\s*"[A-Za-z0-9+/=_-]*"/g;

/**
 * The body of a delivery as text without files, and as an object.
 *
 * @throws {AppError} `invalid_json` for a body that is not a JSON object.
 */
export function parseDelivery(body: Uint8Array): Pick<Delivery, "text" | "payload"> {
  const text = new TextDecoder().decode(body).replace(fileMember, '"base64":""');
  const payload = parseWebhookPayload(text);
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
    throw new AppError("invalid_json");
  }
  return { text, payload };
}

/**
 * Stores a delivery and what it means, in one transaction for each 1,000 events. After a failure in
 * between, the provider delivers again, and what is recorded already counts once. Stores unknown
 * payloads too; leaves slow work to the outbox.
 *
 * @returns how many events changed something; null when the instance's credentials were replaced after
 * the check: the delivery must be checked against the new ones.
 */
export async function recordDelivery(
  database: Database,
  { webhook }: ProviderDescriptor,
  { instanceId, sealedProviderConfig, gatewayInstanceId, text, payload }: Delivery,
): Promise<number | null> {
  const readEvents = await webhook.loadEventReader();
  const events = readEvents(payload, gatewayInstanceId ?? undefined).map(toRecordedEvent);
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
  return total;
}

/** A message with its content as the database keeps it; any other event as it is. */
function toRecordedEvent(event: ProviderEvent): Readonly<Record<string, unknown>> {
  if (event.kind !== "message") return { ...event };
  const { messageType, message, mediaUrl, mediaId, mediaFilename, choice, ...about } = event;
  const content = { messageType, message, mediaUrl, mediaId, mediaFilename, choice };
  return { ...about, ...toStoredContent(content) };
}
