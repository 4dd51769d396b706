import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import { DenialHashers } from "../../shared/database/denial_hashes.ts";
import type { Erasure } from "../../shared/database/rpcs/privacy.ts";

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
  let identityHashes: Readonly<Record<string, string>> = {};
  for (;;) {
    const result = await database.rpc("erase_contact", {
      instanceId,
      contactId,
      maxRows: maxRowsOfCall,
      identityHashes,
    });
    if ("erasureId" in result) return result;
    const hasher = await new DenialHashers(database, () => Promise.resolve(vault)).load();
    identityHashes = await hasher.hash(instanceId, result.identities);
  }
}
