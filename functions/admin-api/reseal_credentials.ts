import { CredentialError, type CredentialVault } from "../../shared/crypto/credential_vault.ts";
import { resealDenialKey } from "../../shared/crypto/denial_hasher.ts";
import type { ResealedItem } from "../../shared/database/rpcs/tenancy.ts";
import type { InstanceServices } from "./instances.ts";
import { resealEndpointSecrets } from "./reseal_endpoint_secrets.ts";
import { resealNotifyAddresses } from "./reseal_notify_addresses.ts";
import type { ResealReport } from "./resources/reseal.ts";

/** Some hundred milliseconds of processor time, well below the platform's limit of 2 s. */
const batchSize = 200;

/**
 * Seals credentials of former keys, and secrets of webhook endpoints, and addresses of questions, under
 * the current key, one batch of each per call. Calls can be repeated, and run safely beside changes of the same instances: credentials that changed meanwhile
 * are skipped. Credentials that no key opens stay unchanged and are reported.
 */
export async function resealCredentials(
  services: InstanceServices,
): Promise<ResealReport> {
  const { database, vault } = services;
  const keyIds = await vault.keyIds();
  const [keyId] = keyIds;
  if (keyId === undefined) throw new Error("the vault has no key");
  const { items, total, ...listed } = await database.rpc("list_credentials_under_old_keys", {
    keyIds,
    limit: batchSize,
  });
  const unreadable = [...listed.unreadable];
  const fresh: ResealedItem[] = [];
  for (const { instanceId, sealedProviderConfig: former } of items) {
    const sealedProviderConfig = await resealOne(vault, instanceId, former);
    if (sealedProviderConfig === null) unreadable.push(instanceId);
    else fresh.push({ instanceId, former, sealedProviderConfig });
  }
  const { replaced } = await database.rpc("replace_sealed_credentials", {
    items: fresh,
  });
  const secrets = await resealEndpointSecrets(services, keyIds, batchSize);
  const addresses = await resealNotifyAddresses(services, keyIds, batchSize);
  const denialKey = await resealDenials(services, keyId);
  return {
    keyId,
    resealed: replaced + secrets.replaced + addresses.replaced + denialKey.replaced,
    remaining: total - replaced + secrets.remaining + addresses.remaining + denialKey.remaining,
    unreadable: [...unreadable, ...secrets.unreadable, ...addresses.unreadable],
  };
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

async function resealOne(
  vault: CredentialVault,
  instanceId: string,
  former: string,
): Promise<string | null> {
  try {
    return await vault.seal(await vault.open<unknown>(former, instanceId), instanceId);
  } catch (error) {
    if (error instanceof CredentialError) return null;
    throw error;
  }
}
