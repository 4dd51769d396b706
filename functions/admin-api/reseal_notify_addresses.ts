import { CredentialError } from "../../shared/crypto/credential_vault.ts";
import type { ResealedNotify } from "../../shared/database/rpcs/questions.ts";
import type { InstanceServices } from "./instances.ts";

/** What one batch resealed. */
export interface NotifyReseal {
  readonly replaced: number;
  readonly remaining: number;
  /** Questions, batches and notifications whose address no key opens. */
  readonly unreadable: readonly string[];
}

/**
 * Seals under the current key where the ends of questions are told, with the secrets that sign it, one batch. What
 * ends meanwhile is skipped; what no key opens stays as it is.
 */
export async function resealNotifyAddresses(
  { database, vault }: InstanceServices,
  keyIds: readonly string[],
  limit: number,
): Promise<NotifyReseal> {
  const { items, total, ...listed } = await database.rpc("list_notify_seals_under_old_keys", {
    keyIds,
    limit,
  });
  const unreadable = [...listed.unreadable];
  const fresh: ResealedNotify[] = [];
  for (const { kind, id, instanceId, sealed: former } of items) {
    try {
      const notification = await vault.open<unknown>(former, instanceId);
      fresh.push({ kind, id, former, sealed: await vault.seal(notification, instanceId) });
    } catch (error) {
      if (!(error instanceof CredentialError)) throw error;
      unreadable.push(id);
    }
  }
  const { replaced } = await database.rpc("replace_notify_seals", { items: fresh });
  return { replaced, remaining: total - replaced, unreadable };
}
