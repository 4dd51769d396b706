import type { Database } from "../../shared/database/database.ts";
import { AppError } from "../../shared/errors.ts";
import type { ProviderKind } from "../../shared/providers/provider.ts";
import { readProviderEvents } from "../../shared/providers/read_provider_events.ts";
import { parseWebhookPayload } from "../../shared/providers/webhook_payload.ts";

/** One authentic delivery. */
export interface Delivery {
  readonly provider: ProviderKind;
  readonly instanceId: string;
  /** The provider's own id of the instance: one address may be told of others' events too. */
  readonly gatewayInstanceId: string | null;
  readonly body: Uint8Array;
}

/**
 * Stores a delivery and what it means in one transaction. What nobody understands is kept all the
 * same; everything slow is left to the outbox.
 *
 * @throws {AppError} `invalid_json` for a body that is not a JSON object: nothing is stored.
 */
export async function receiveDelivery(
  database: Database,
  { provider, instanceId, gatewayInstanceId, body }: Delivery,
): Promise<{ readonly recorded: number }> {
  const text = new TextDecoder().decode(body);
  const payload = parseWebhookPayload(text);
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
    throw new AppError("invalid_json");
  }
  const events = readProviderEvents(provider, payload, gatewayInstanceId);
  return await database.rpc("record_provider_events", { instanceId, payload: text, events });
}
