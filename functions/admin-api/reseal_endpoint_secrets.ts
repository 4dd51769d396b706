import type { SealedSecrets } from "../../shared/database/rpcs/webhooks.ts";
import type { InstanceServices } from "./instances.ts";
import { resealBatch, type ResealedBatch, resealText } from "./reseal_batch.ts";

/**
 * Seals the secrets of webhook endpoints under the current key, one batch. Secrets that are rotated
 * meanwhile are skipped; those that no key opens stay as they are.
 *
 * @returns as `unreadable` the endpoints with a secret that no key opens.
 */
export async function resealEndpointSecrets(
  { database, vault }: InstanceServices,
  keyIds: readonly string[],
  limit: number,
): Promise<ResealedBatch> {
  const former = await database.rpc("list_endpoint_secrets_under_old_keys", { keyIds, limit });
  return await resealBatch(former, {
    idOf: ({ endpointId }: SealedSecrets) => endpointId,
    reseal: async ({ endpointId, sealedSecret, sealedPreviousSecret }) => ({
      endpointId,
      formerSecret: sealedSecret,
      formerPreviousSecret: sealedPreviousSecret,
      sealedSecret: await resealText(vault, sealedSecret, endpointId),
      sealedPreviousSecret: sealedPreviousSecret === null
        ? null
        : await resealText(vault, sealedPreviousSecret, endpointId),
    }),
    replace: (items) => database.rpc("replace_endpoint_secrets", { items }),
  });
}
