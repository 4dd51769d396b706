/** Which instances a signed delivery of the official channel is about, and what each is told. */
import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { parseProviderConfig } from "../../shared/providers/registry.ts";
import { verifySignature } from "../../shared/providers/webhooks/signature.ts";
import type { WhatsappCloudConfig } from "../../shared/providers/whatsapp_cloud/config.ts";
import {
  type CloudPart,
  joinParts,
  listTemplateIds,
  splitByNumber,
} from "../../shared/providers/whatsapp_cloud/routing.ts";
import { type Delivery, parseDelivery } from "./receive.ts";
import type { WebhookInstance } from "./webhook_instances.ts";

/** The bytes as they came, with the signature that the receiving instance's secret has verified. */
export interface SignedBody {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly signature: string | undefined;
}

interface Target {
  readonly instanceId: string;
  readonly gatewayInstanceId: string;
  readonly sealedProviderConfig: string;
  readonly wabaId: string | undefined;
}

/** Splits signed deliveries into one for each instance that they are about. */
export type RouteDelivery = (
  receiver: WebhookInstance<"whatsapp_cloud">,
  signed: SignedBody,
) => Promise<readonly Delivery[]>;

/**
 * Events of a number go to its instance where that instance's app secret verifies the delivery too;
 * decisions on templates to every such instance of the business account. What belongs to no instance
 * is kept with the receiver's payload and logged: nothing is lost without a trace.
 */
export function createDeliveryRouter(
  database: Database,
  vault: CredentialVault,
  log: Log,
): RouteDelivery {
  const findTargets = async (
    parts: readonly CloudPart[],
    receiver: WebhookInstance<"whatsapp_cloud">,
    { body, signature }: SignedBody,
  ): Promise<readonly Target[]> => {
    const phoneNumberIds = listForeignNumbers(parts, receiver.config.phoneNumberId);
    const providerTemplateIds = parts.flatMap(listTemplateIds);
    if (phoneNumberIds.length === 0 && providerTemplateIds.length === 0) return [];
    const { instances } = await database.rpc<{ instances: readonly Omit<Target, "wabaId">[] }>(
      "find_webhook_targets",
      { phoneNumberIds, providerTemplateIds },
    );
    const verified: Target[] = [];
    for (const instance of instances) {
      if (instance.instanceId === receiver.instanceId) continue;
      const config = await openConfig(vault, instance);
      if (config === null || !await verifySignature(body, signature, config.appSecret)) continue;
      verified.push({ ...instance, wabaId: config.wabaId });
    }
    return verified;
  };

  return async (receiver, signed) => {
    const { text, payload } = parseDelivery(signed.body);
    const parts = splitByNumber(payload);
    const targets = await findTargets(parts, receiver, signed);
    const own = { ...receiver, gatewayInstanceId: receiver.config.phoneNumberId ?? null };
    const kept = parts.filter(({ phoneNumberId }) =>
      phoneNumberId === null || phoneNumberId === own.gatewayInstanceId ||
      !targets.some(({ gatewayInstanceId }) => gatewayInstanceId === phoneNumberId)
    );
    for (const phoneNumberId of listForeignNumbers(kept, receiver.config.phoneNumberId)) {
      // Before an instance is told its number, all that comes to its address is its own.
      if (own.gatewayInstanceId === null) break;
      log.error("webhook_event_unrouted", {
        instanceId: receiver.instanceId,
        phoneNumberId,
      });
    }
    const others = targets.flatMap((target): Delivery[] => {
      const told = parts.filter((part) => isAbout(part, target));
      if (told.length === 0) return [];
      const routed = joinParts(payload, told);
      return [toDelivery(target, JSON.stringify(routed), routed)];
    });
    if (kept.length === parts.length) return [toDelivery(own, text, payload), ...others];
    if (kept.length === 0) return others;
    const rest = joinParts(payload, kept);
    return [toDelivery(own, JSON.stringify(rest), rest), ...others];
  };
}

function listForeignNumbers(
  parts: readonly CloudPart[],
  own: string | undefined,
): readonly string[] {
  return parts.map(({ phoneNumberId }) => phoneNumberId)
    .filter((number) => number !== null)
    .filter((number) => number !== own);
}

/** Whether a part is the target's: its number's, or a decision on templates of its account. */
function isAbout(part: CloudPart, { gatewayInstanceId, wabaId }: Target): boolean {
  if (part.phoneNumberId !== null) return part.phoneNumberId === gatewayInstanceId;
  return wabaId !== undefined && part.wabaId === wabaId && listTemplateIds(part).length > 0;
}

function toDelivery(
  target: Omit<Target, "wabaId" | "gatewayInstanceId"> & {
    readonly gatewayInstanceId: string | null;
  },
  text: string,
  payload: unknown,
): Delivery {
  const { instanceId, sealedProviderConfig, gatewayInstanceId } = target;
  const provider = "whatsapp_cloud";
  return { provider, instanceId, sealedProviderConfig, gatewayInstanceId, text, payload };
}

/** Null where the credentials do not open or do not fit: nothing can be proven with them. */
async function openConfig(
  vault: CredentialVault,
  { instanceId, sealedProviderConfig }: Omit<Target, "wabaId">,
): Promise<WhatsappCloudConfig | null> {
  try {
    const parsed = parseProviderConfig(
      "whatsapp_cloud",
      await vault.open<unknown>(sealedProviderConfig, instanceId),
    );
    return parsed.ok ? parsed.config : null;
  } catch {
    return null;
  }
}
