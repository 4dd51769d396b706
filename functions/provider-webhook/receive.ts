import type { Database } from "../../shared/database/database.ts";
import { AppError } from "../../shared/errors.ts";
import type { ProviderKind } from "../../shared/providers/provider.ts";
import { readProviderEvents } from "../../shared/providers/read_provider_events.ts";

/** One authentic delivery. */
export interface Delivery {
  readonly provider: ProviderKind;
  readonly instanceId: string;
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
  { provider, instanceId, body }: Delivery,
): Promise<{ readonly recorded: number }> {
  const text = new TextDecoder().decode(body);
  const payload = parseObject(text);
  const events = readProviderEvents(provider, payload);
  return await database.rpc("record_provider_events", { instanceId, payload: text, events });
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Refused below, as what is JSON but no object is.
  }
  throw new AppError("invalid_json");
}
