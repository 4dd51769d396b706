import type { Database } from "../../shared/database/database.ts";
import { AppError } from "../../shared/errors.ts";
import type { ProviderKind } from "../../shared/providers/provider.ts";
import { readProviderEvents } from "../../shared/providers/read_provider_events.ts";
import { parseWebhookPayload } from "../../shared/providers/webhook_payload.ts";

/** One authentic delivery. */
export interface Delivery {
  readonly provider: ProviderKind;
  readonly instanceId: string;
  /** What the delivery's credential was checked against. */
  readonly sealedProviderConfig: string;
  /** The provider's own id of the instance: one address may be told of others' events too. */
  readonly gatewayInstanceId: string | null;
  readonly body: Uint8Array;
}

/**
 * Stores a delivery and what it means in one transaction. What nobody understands is kept all the
 * same; everything slow is left to the outbox. Null when the instance's credentials are others by
 * now: nothing is stored, and the delivery must show that it fits those.
 *
 * @throws {AppError} `invalid_json` for a body that is not a JSON object: nothing is stored.
 */
export async function receiveDelivery(
  database: Database,
  { provider, instanceId, sealedProviderConfig, gatewayInstanceId, body }: Delivery,
): Promise<number | null> {
  const text = new TextDecoder().decode(body);
  const payload = parseWebhookPayload(text);
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
    throw new AppError("invalid_json");
  }
  const events = readProviderEvents(provider, payload, gatewayInstanceId);
  const { recorded } = await database.rpc<{ recorded: number | null }>("record_provider_events", {
    instanceId,
    sealedProviderConfig,
    payload: text,
    events,
  });
  return recorded;
}
