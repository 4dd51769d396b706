import { CredentialError } from "../../shared/crypto/credential_vault.ts";
import { resealDenialKey } from "../../shared/crypto/denial_hasher.ts";
import type { SealedItem } from "../../shared/database/rpcs/tenancy.ts";
import type { InstanceServices } from "./instances.ts";
import { resealBatch, type ResealedBatch, resealText } from "./reseal_batch.ts";
import { resealEndpointSecrets } from "./reseal_endpoint_secrets.ts";
import { resealNotifyAddresses } from "./reseal_notify_addresses.ts";
import type { ResealReport } from "./resources/reseal.ts";

/** Of each of three kinds, together up to 800 texts: 0.1 s of processor time, of the 2 s that the platform gives. */
const batchSize = 200;

/**
 * Seals under the current key the credentials of instances, the secrets of webhook endpoints and the
 * addresses at which questions are told, one batch of each per call, and the key of the denials. Calls can
 * be repeated, and run safely beside changes of the same instances: what changed meanwhile is skipped. What
 * no key opens stays unchanged and is reported.
 */
export async function resealCredentials(
  services: InstanceServices,
): Promise<ResealReport> {
  const keyIds = await services.vault.keyIds();
  const [keyId] = keyIds;
  if (keyId === undefined) throw new Error("the vault has no key");
  const credentials = await resealProviderConfigs(services, keyIds, batchSize);
  const secrets = await resealEndpointSecrets(services, keyIds, batchSize);
  const addresses = await resealNotifyAddresses(services, keyIds, batchSize);
  const denialKey = await resealDenials(services, keyId);
  const batches = [credentials, secrets, addresses];
  return {
    keyId,
    resealed: sum([...batches, denialKey].map(({ replaced }) => replaced)),
    remaining: sum([...batches, denialKey].map(({ remaining }) => remaining)),
    unreadable: batches.flatMap(({ unreadable }) => unreadable),
  };
}

async function resealProviderConfigs(
  { database, vault }: InstanceServices,
  keyIds: readonly string[],
  limit: number,
): Promise<ResealedBatch> {
  const former = await database.rpc("list_credentials_under_old_keys", { keyIds, limit });
  return await resealBatch(former, {
    idOf: ({ instanceId }: SealedItem) => instanceId,
    reseal: async ({ instanceId, sealedProviderConfig }) => ({
      ...{ instanceId, former: sealedProviderConfig },
      sealedProviderConfig: await resealText(vault, sealedProviderConfig, instanceId),
    }),
    replace: (items) => database.rpc("replace_sealed_credentials", { items }),
  });
}

/** Seals the key of the erased persons' denials, which the hashes need as long as they are kept. */
async function resealDenials(
  { database, vault }: InstanceServices,
  keyId: string,
): Promise<{ readonly replaced: number; readonly remaining: number }> {
  const { sealedKey: former } = await database.rpc("keep_denial_key", { sealedKey: null });
  if (former === null || vault.keyIdOf(former) === keyId) return { replaced: 0, remaining: 0 };
  try {
    const sealedKey = await resealDenialKey(vault, former);
    const kept = await database.rpc("keep_denial_key", { sealedKey, formerKey: former });
    return kept.sealedKey === sealedKey
      ? { replaced: 1, remaining: 0 }
      : { replaced: 0, remaining: 1 };
  } catch (error) {
    // Named by no id. Calls that need the key fail, and say so in the log.
    if (error instanceof CredentialError) return { replaced: 0, remaining: 0 };
    throw error;
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
