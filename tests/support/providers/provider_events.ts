import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import { registry } from "../../../shared/providers/registry.ts";
import type { ProviderEvent } from "../../../shared/providers/webhooks/provider_event.ts";

const readers = new Map(
  await Promise.all(
    registry.providers.map(async ({ kind, webhook }) =>
      [kind, await webhook.loadEventReader()] as const
    ),
  ),
);

/** The events of one payload of a registered provider. */
export function readProviderEvents(
  kind: ProviderKind,
  payload: unknown,
  gatewayInstanceId?: string,
): ProviderEvent[] {
  const readEvents = readers.get(kind);
  if (readEvents === undefined) throw new Error(`no reader for ${kind}`);
  return [...readEvents(payload, gatewayInstanceId)].filter((event) => event !== undefined);
}
