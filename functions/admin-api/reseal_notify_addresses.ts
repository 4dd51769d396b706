import type { SealedNotify } from "../../shared/database/rpcs/questions.ts";
import type { InstanceServices } from "./instances.ts";
import { resealBatch, type ResealedBatch, resealText } from "./reseal_batch.ts";

/**
 * Seals under the current key where the ends of questions are told, with the secrets that sign it, one
 * batch. What ends meanwhile is skipped; what no key opens stays as it is.
 *
 * @returns as `unreadable` the questions, batches and notifications whose address no key opens.
 */
export async function resealNotifyAddresses(
  { database, vault }: InstanceServices,
  keyIds: readonly string[],
  limit: number,
): Promise<ResealedBatch> {
  const former = await database.rpc("list_notify_seals_under_old_keys", { keyIds, limit });
  return await resealBatch(former, {
    idOf: ({ id }: SealedNotify) => id,
    reseal: async ({ kind, id, instanceId, sealed }) => ({
      ...{ kind, id, former: sealed },
      sealed: await resealText(vault, sealed, instanceId),
    }),
    replace: (items) => database.rpc("replace_notify_seals", { items }),
  });
}
