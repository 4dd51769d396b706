/** From a provider's webhook payload to what it means. */
import { readEvolutionEvents } from "./evolution/events.ts";
import type { ProviderKind } from "../model/provider_kind.ts";
import type { ProviderEvent } from "./webhooks/provider_event.ts";
import { readWhatsappCloudEvents } from "./whatsapp_cloud/events.ts";
import { readZapiEvents } from "./zapi/events.ts";

const readers = {
  whatsapp_cloud: readWhatsappCloudEvents,
  zapi: readZapiEvents,
  evolution: readEvolutionEvents,
} as const;

/**
 * All events of one payload, in its order; what is malformed or not understood gives none and costs
 * nothing else. Never throws.
 *
 * `gatewayInstanceId` is the provider's own id of the instance (phone number id, Z-API instance,
 * Evolution instance name). With it, events that name another one are left out: providers may send
 * those of a whole account to one address.
 */
export function readProviderEvents(
  kind: ProviderKind,
  payload: unknown,
  gatewayInstanceId?: string | null,
): ProviderEvent[] {
  return readers[kind](payload, gatewayInstanceId ?? undefined);
}
