import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import { DenialHashers, hashForAll } from "../../shared/database/denial_hashes.ts";
import type { IdentityHashes } from "../../shared/database/rpcs/privacy.ts";
import type { Erasure } from "../../shared/model/erasure_record.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";

/** Most rows of each kind that the call itself deletes or looks through: below a second. */
const maxRowsOfCall = 2_000;

/** Services that erasing requires. */
export interface ErasingServices {
  readonly database: Database;
  /** Opens the key of the hashes that remain of those who had denied marketing. */
  readonly vault: CredentialVault;
}

/**
 * Begins to erase a person; for most persons the call does all of it. Where the database needs hashes of
 * the identities, it says so and has done nothing, and the call is repeated with them. An identity that
 * is added meanwhile is asked for again.
 */
export async function eraseContact(
  { database, vault }: ErasingServices,
  instanceId: string,
  contactId: string,
): Promise<Erasure> {
  let identityHashes: IdentityHashes = {};
  for (;;) {
    const result = await database.rpc("erase_contact", {
      instanceId,
      contactId,
      maxRows: maxRowsOfCall,
      identityHashes,
    });
    if ("erasureId" in result) return result;
    const hasher = await new DenialHashers(database, () => Promise.resolve(vault)).load();
    identityHashes = await hashForAll(hasher, result.instanceIds, result.identities);
  }
}

/**
 * Begins to erase a person at every instance of the workspace, and does at each as much as `eraseContact`
 * would. What fails at one of them after it was recorded is left to the dispatcher.
 *
 * @throws {AppError} `people_scope` where the instances of the workspace stand for themselves.
 */
export async function erasePerson(
  { database, vault, log }: ErasingServices & { readonly log: Log },
  instanceId: string,
  contactId: string,
): Promise<Erasure> {
  const identityHashes: Record<string, IdentityHashes> = {};
  for (;;) {
    const result = await database.rpc("erase_person", { instanceId, contactId, identityHashes });
    if ("needed" in result) {
      const hasher = await new DenialHashers(database, () => Promise.resolve(vault)).load();
      for (const { instanceId: of, instanceIds, identities } of result.needed) {
        identityHashes[of] = await hashForAll(hasher, instanceIds, identities);
      }
      continue;
    }
    for (const erasureId of result.erasureIds) {
      try {
        await database.rpc("take_erasure_steps", { erasureId, maxRows: maxRowsOfCall });
      } catch (error) {
        log.error("erasure_step_failed", describeDefect(error));
      }
    }
    return result;
  }
}
