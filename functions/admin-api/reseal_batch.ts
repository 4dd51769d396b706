import { CredentialError, type CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { FormerSeals } from "../../shared/database/rpcs/tenancy.ts";

/** What one batch resealed. */
export interface ResealedBatch {
  readonly replaced: number;
  readonly remaining: number;
  /** Ids of what no key opens. */
  readonly unreadable: readonly string[];
}

/** How things of one kind are resealed. */
interface ResealSteps<Sealed, Resealed> {
  readonly idOf: (item: Sealed) => string;
  /** @throws {CredentialError} for what no key opens. */
  readonly reseal: (item: Sealed) => Promise<Resealed>;
  /** Skips what has changed meanwhile. */
  readonly replace: (items: readonly Resealed[]) => Promise<{ readonly replaced: number }>;
}

/** Seals one batch under the current key. What no key opens stays as it is. */
export async function resealBatch<Sealed, Resealed>(
  { items, total, ...listed }: FormerSeals<Sealed>,
  { idOf, reseal, replace }: ResealSteps<Sealed, Resealed>,
): Promise<ResealedBatch> {
  const unreadable = [...listed.unreadable];
  const fresh: Resealed[] = [];
  for (const item of items) {
    try {
      fresh.push(await reseal(item));
    } catch (error) {
      if (!(error instanceof CredentialError)) throw error;
      unreadable.push(idOf(item));
    }
  }
  const { replaced } = await replace(fresh);
  return { replaced, remaining: total - replaced, unreadable };
}

/**
 * Seals a text anew for the record that it belongs to.
 *
 * @throws {CredentialError} for one that no key opens.
 */
export async function resealText(
  vault: CredentialVault,
  sealed: string,
  ownerId: string,
): Promise<string> {
  return await vault.seal(await vault.open<unknown>(sealed, ownerId), ownerId);
}
