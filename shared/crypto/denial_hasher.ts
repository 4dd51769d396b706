import type { CredentialVault } from "./credential_vault.ts";
import { decodeBase64Url, encodeBase64Url } from "./encoding.ts";

/** What the key is sealed for: a text that is sealed for anything else does not open as one. */
const sealContext = "denial_key";
const algorithm = { name: "HMAC", hash: "SHA-256" } as const;

/**
 * Hashes identities of persons, so that one who had denied marketing can be known again after the data
 * are erased. Without the key nobody can tell whose hash it is, although phones are few enough to try.
 */
export interface DenialHasher {
  /** The hash of each identity key of an instance. Another instance has other hashes. */
  hash(
    instanceId: string,
    identities: readonly string[],
  ): Promise<Readonly<Record<string, string>>>;
}

/** A new random key, sealed. It stays the same key when it is resealed after a rotation. */
export async function sealNewDenialKey(vault: CredentialVault): Promise<string> {
  const key = encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  return await vault.seal({ key }, sealContext);
}

/** Seals the same key under the vault's first key. Rejects with `CredentialError`. */
export async function resealDenialKey(vault: CredentialVault, sealed: string): Promise<string> {
  return await vault.seal(await vault.open<unknown>(sealed, sealContext), sealContext);
}

/** Opens a sealed key. Rejects with `CredentialError` where no key of the vault opens it. */
export async function openDenialHasher(
  vault: CredentialVault,
  sealed: string,
): Promise<DenialHasher> {
  const { key: text } = await vault.open<{ readonly key: string }>(sealed, sealContext);
  const bytes = decodeBase64Url(text);
  if (bytes === null) throw new Error("the key of the denials is no base64url");
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  const hashOne = async (instanceId: string, identity: string): Promise<string> => {
    const bytes = new TextEncoder().encode(`${instanceId} ${identity}`);
    return encodeBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes)));
  };
  return {
    hash: async (instanceId, identities) =>
      Object.fromEntries(
        await Promise.all(identities.map(async (identity) =>
          [identity, await hashOne(instanceId, identity)] as const
        )),
      ),
  };
}
