import { readId, readText } from "../../../../shared/model/json_value.ts";
import type { ProviderEvent } from "../../../../shared/providers/webhooks/provider_event.ts";

export function readPigeonEvents(payload: unknown): ProviderEvent[] {
  const providerMessageId = readId(payload, "ring");
  const address = readId(payload, "from");
  if (providerMessageId === undefined || address === undefined) return [];
  return [{
    kind: "message",
    origin: "inbound",
    providerMessageId,
    address,
    otherAddresses: [],
    messageType: "text",
    message: readText(payload, "note"),
    isGroup: false,
  }];
}
