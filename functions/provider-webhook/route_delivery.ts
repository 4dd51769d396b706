/** Routes an authenticated delivery: each instance gets the part that concerns it. */
import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import type { Log } from "../../shared/runtime/log.ts";
import type { ReceivingProvider } from "../../shared/providers/webhooks/receiving.ts";
import type {
  DeliveryPart,
  DeliveryRouting,
  WebhookCall,
  WebhookReceiver,
} from "../../shared/providers/webhooks/webhook.ts";
import { type Delivery, parseDelivery } from "./receive.ts";
import type { WebhookInstance } from "./webhook_instances.ts";

/** Splits an authenticated delivery into one delivery per instance concerned. */
export type RouteDelivery = (
  provider: ReceivingProvider,
  instance: WebhookInstance,
  call: WebhookCall,
) => Promise<readonly Delivery[]>;

/** An instance as `find_webhook_targets` returns it. */
type FoundInstance = Omit<WebhookInstance, "receiver">;

/**
 * Routes the events of a number to its instance, if that instance's credential also authenticates
 * the delivery. Routes template status updates, and news of the account, to every such instance of it. Stores events
 * of unknown numbers with the receiver's payload and logs them, so that no event is lost silently.
 */
export function createDeliveryRouter(
  database: Database,
  vault: CredentialVault,
  log: Log,
): RouteDelivery {
  const findTargets = async (
    provider: ReceivingProvider,
    parts: readonly DeliveryPart[],
    own: WebhookInstance,
    call: WebhookCall,
  ): Promise<readonly WebhookInstance[]> => {
    const gatewayInstanceIds = listForeignNumbers(parts, own.receiver);
    const providerTemplateIds = parts.flatMap(({ templateIds }) => templateIds);
    const accountOf = parts.some(({ concernsAccount }) => concernsAccount) ? own.instanceId : null;
    const ids = [...gatewayInstanceIds, ...providerTemplateIds];
    if (ids.length === 0 && accountOf === null) return [];
    const { instances } = await database.rpc(
      "find_webhook_targets",
      { provider: provider.kind, gatewayInstanceIds, providerTemplateIds, accountOf },
    );
    const targets: WebhookInstance[] = [];
    for (const { instanceId, sealedProviderConfig } of instances) {
      if (instanceId === own.instanceId) continue;
      const receiver = await openReceiver(vault, provider, { instanceId, sealedProviderConfig });
      if (receiver === null || !await hasCredential(receiver, call)) continue;
      targets.push({ instanceId, sealedProviderConfig, receiver });
    }
    return targets;
  };

  const logUnknownNumbers = (parts: readonly DeliveryPart[], own: WebhookInstance): void => {
    // An instance without a number owns every event at its address.
    if (own.receiver.gatewayInstanceId === null) return;
    for (const phoneNumberId of listForeignNumbers(parts, own.receiver)) {
      const { instanceId } = own;
      log.error("webhook_event_unrouted", { instanceId, phoneNumberId });
    }
  };

  return async (provider, own, call) => {
    const whole = parseDelivery(call.body);
    const { routing } = provider.webhook;
    if (routing === null) return [toDelivery(own, whole)];
    const parts = routing.split(whole.payload);
    const targets = await findTargets(provider, parts, own, call);
    const kept = parts.filter((part) => isKept(part, own, targets));
    logUnknownNumbers(kept, own);
    const others = targets.flatMap((target): Delivery[] => {
      const ownParts = parts.filter((part) => isAbout(part, target.receiver));
      return ownParts.length === 0 ? [] : [toDelivery(target, joinParts(routing, whole, ownParts))];
    });
    if (kept.length === parts.length) return [toDelivery(own, whole), ...others];
    if (kept.length === 0) return others;
    return [toDelivery(own, joinParts(routing, whole, kept)), ...others];
  };
}

async function hasCredential(receiver: WebhookReceiver, call: WebhookCall): Promise<boolean> {
  return await receiver.checkHead(call) && await receiver.checkBody(call);
}

type Content = Pick<Delivery, "text" | "payload" | "inlineFiles">;

function joinParts(
  routing: DeliveryRouting,
  { payload, inlineFiles }: Content,
  parts: readonly DeliveryPart[],
): Content {
  const joined = routing.join(payload, parts);
  return { text: JSON.stringify(joined), payload: joined, inlineFiles };
}

function toDelivery(
  { instanceId, sealedProviderConfig, receiver }: WebhookInstance,
  content: Content,
): Delivery {
  const { gatewayInstanceId } = receiver;
  return { instanceId, sealedProviderConfig, gatewayInstanceId, ...content };
}

function listForeignNumbers(
  parts: readonly DeliveryPart[],
  own: WebhookReceiver,
): readonly string[] {
  return parts.map(({ gatewayInstanceId }) => gatewayInstanceId)
    .filter((number) => number !== null)
    .filter((number) => number !== own.gatewayInstanceId);
}

/** Whether the instance of the address keeps a part. */
function isKept(
  { gatewayInstanceId }: DeliveryPart,
  own: WebhookInstance,
  targets: readonly WebhookInstance[],
): boolean {
  return gatewayInstanceId === null || gatewayInstanceId === own.receiver.gatewayInstanceId ||
    !targets.some(({ receiver }) => receiver.gatewayInstanceId === gatewayInstanceId);
}

/**
 * Whether a part concerns the target's number, or its account or that account's templates.
 */
function isAbout(part: DeliveryPart, { gatewayInstanceId, accountId }: WebhookReceiver): boolean {
  if (part.gatewayInstanceId !== null) return part.gatewayInstanceId === gatewayInstanceId;
  return accountId !== undefined && part.accountId === accountId &&
    (part.templateIds.length > 0 || part.concernsAccount);
}

/**
 * Returns null for unreadable or invalid credentials, because they cannot authenticate a delivery.
 */
async function openReceiver(
  vault: CredentialVault,
  provider: ReceivingProvider,
  { instanceId, sealedProviderConfig }: FoundInstance,
): Promise<WebhookReceiver | null> {
  try {
    return provider.webhook.open(await vault.open<unknown>(sealedProviderConfig, instanceId));
  } catch {
    return null;
  }
}
