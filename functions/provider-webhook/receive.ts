import type { Database } from "../../shared/database/database.ts";
import { AppError } from "../../shared/model/errors.ts";
import { toStoredContent } from "../../shared/model/message_content.ts";
import type { ProviderKind } from "../../shared/model/provider_kind.ts";
import { readProviderEvents } from "../../shared/providers/read_provider_events.ts";
import { parseWebhookPayload } from "../../shared/providers/webhooks/payload.ts";
import type { ProviderEvent } from "../../shared/providers/webhooks/provider_event.ts";

/** One authentic delivery, or the part of it that is about one instance. */
export interface Delivery {
  readonly provider: ProviderKind;
  readonly instanceId: string;
  /** What the delivery's credential was checked against. */
  readonly sealedProviderConfig: string;
  /** The provider's own id of the instance: one address may be told of others' events too. */
  readonly gatewayInstanceId: string | null;
  /** What is kept of it. */
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
 * The body of a delivery as text, files left out, and as the object that it is.
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
 * @returns how many events changed something; null when the instance's credentials have been replaced
 * meanwhile: the delivery must then be checked against the new ones.
 */
export async function recordDelivery(
  database: Database,
  { provider, instanceId, sealedProviderConfig, gatewayInstanceId, text, payload }: Delivery,
): Promise<number | null> {
  const events = readProviderEvents(provider, payload, gatewayInstanceId).map(toRecordedEvent);
  let total = 0;
  for (let first = 0; first === 0 || first < events.length; first += maxEventsPerCall) {
    const { recorded } = await database.rpc<{ recorded: number | null }>("record_provider_events", {
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
