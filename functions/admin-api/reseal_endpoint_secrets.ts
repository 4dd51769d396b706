import { CredentialError, type CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { ResealedSecrets, SealedSecrets } from "../../shared/database/rpcs/webhooks.ts";
import type { InstanceServices } from "./instances.ts";

/** What one batch resealed. */
export interface EndpointReseal {
  readonly replaced: number;
  readonly remaining: number;
  /** Endpoints with a secret that no key opens. */
  readonly unreadable: readonly string[];
}

/**
 * Seals the secrets of webhook endpoints under the current key, one batch. Secrets that are rotated
 * meanwhile are skipped; those that no key opens stay as they are.
 */
export async function resealEndpointSecrets(
  { database, vault }: InstanceServices,
  keyIds: readonly string[],
  limit: number,
): Promise<EndpointReseal> {
  const { items, total, ...listed } = await database.rpc("list_endpoint_secrets_under_old_keys", {
    keyIds,
    limit,
  });
  const unreadable = [...listed.unreadable];
  const fresh: ResealedSecrets[] = [];
  for (const item of items) {
    const resealed = await resealSecrets(vault, item);
    if (resealed === null) unreadable.push(item.endpointId);
    else fresh.push(resealed);
  }
  const { replaced } = await database.rpc("replace_endpoint_secrets", { items: fresh });
  return { replaced, remaining: total - replaced, unreadable };
}

async function resealSecrets(
  vault: CredentialVault,
  { endpointId, sealedSecret, sealedPreviousSecret }: SealedSecrets,
): Promise<ResealedSecrets | null> {
  const reseal = async (sealed: string): Promise<string> =>
    await vault.seal(await vault.open<unknown>(sealed, endpointId), endpointId);
  try {
    return {
      endpointId,
      formerSecret: sealedSecret,
      formerPreviousSecret: sealedPreviousSecret,
      sealedSecret: await reseal(sealedSecret),
      sealedPreviousSecret: sealedPreviousSecret === null
        ? null
        : await reseal(sealedPreviousSecret),
    };
  } catch (error) {
    if (error instanceof CredentialError) return null;
    throw error;
  }
}
