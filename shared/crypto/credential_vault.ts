/**
 * Seals provider credentials for storage with AES-256-GCM. Several keys can be configured, so that one
 * can be replaced without downtime: put the new key first, reseal, then remove the old key.
 * A sealed text is `v1.<key id>.<iv>.<ciphertext>`, the last two in base64url.
 */

import { decodeBase64, decodeBase64Url, encodeBase64Url, encodeHex } from "./encoding.ts";

const formatVersion = "v1";
const keySizeBytes = 32;
const ivSizeBytes = 12;
const sealedPattern = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/;

/**
 * Why credentials cannot be sealed or opened. Message and cause never contain a key, a credential or a
 * sealed text.
 * - `invalid_keys`: the configured keys are not base64 of 32 bytes each.
 * - `not_sealable`: the value has no JSON form.
 * - `malformed`: the stored text is not a sealed text.
 * - `unknown_key`: it was sealed under a key that is no longer configured.
 * - `not_authentic`: it was altered, or sealed for another context or under another key.
 */
export class CredentialError extends Error {
  override readonly name = "CredentialError";
  constructor(
    readonly reason:
      | "invalid_keys"
      | "not_sealable"
      | "malformed"
      | "unknown_key"
      | "not_authentic",
    message: string,
  ) {
    super(message);
  }
}

/** Keeps credentials unreadable at rest (AES-256-GCM, keys from the environment). */
export interface CredentialVault {
  /**
   * Seals `value` as JSON under the first key, bound to `context` (the instance's id): a text
   * copied to another instance does not open. Two seals of the same value differ.
   */
  seal(value: unknown, context: string): Promise<string>;
  /**
   * Opens what was sealed for the same `context` under any of the keys. Checks authenticity only: `T`
   * is the caller's claim. Rejects with `CredentialError`.
   */
  open<T>(sealed: string, context: string): Promise<T>;
  /** The ids of all keys. `seal` uses the first; credentials under another key need resealing. */
  keyIds(): Promise<readonly string[]>;
  /** The id of the key that sealed `sealed`. Throws `CredentialError` (`malformed`). */
  keyIdOf(sealed: string): string;
}

interface VaultKey {
  /** First 8 hexadecimal digits of the key's SHA-256. */
  readonly id: string;
  readonly key: CryptoKey;
}

/**
 * Creates a vault.
 *
 * @param keys base64 of 32 random bytes each, separated by commas. The first seals, all open.
 * @throws {CredentialError} `invalid_keys` when one of them is malformed.
 */
export function createCredentialVault(keys: string): CredentialVault {
  const rawKeys = keys.split(",").map(parseKey);
  let imported: Promise<[VaultKey, ...VaultKey[]]> | undefined;
  const loadKeys = (): Promise<[VaultKey, ...VaultKey[]]> => imported ??= importKeys(rawKeys);

  return {
    async seal(value: unknown, context: string): Promise<string> {
      const [{ id, key }] = await loadKeys();
      const iv = crypto.getRandomValues(new Uint8Array(ivSizeBytes));
      const ciphertext = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv, additionalData: encodeText(context) },
        key,
        encodeText(serialize(value)),
      );
      return [formatVersion, id, encodeBase64Url(iv), encodeBase64Url(new Uint8Array(ciphertext))]
        .join(".");
    },
    async open<T>(sealed: string, context: string): Promise<T> {
      const { keyId, iv, ciphertext } = parseSealed(sealed);
      const key = (await loadKeys()).find(({ id }) => id === keyId)?.key;
      if (key === undefined) {
        throw new CredentialError("unknown_key", `No configured key has the id ${keyId}.`);
      }
      const algorithm = { name: "AES-GCM", iv, additionalData: encodeText(context) };
      return JSON.parse(await decrypt(algorithm, key, ciphertext));
    },
    async keyIds(): Promise<readonly string[]> {
      return (await loadKeys()).map(({ id }) => id);
    },
    keyIdOf: (sealed: string): string => parseSealed(sealed).keyId,
  };
}

function parseKey(text: string, index: number): BufferSource {
  const key = decodeBase64(text.trim());
  if (key?.byteLength === keySizeBytes) return key;
  throw new CredentialError(
    "invalid_keys",
    `Credential key ${index + 1} is not ${keySizeBytes} bytes in base64.`,
  );
}

async function importKeys(rawKeys: readonly BufferSource[]): Promise<[VaultKey, ...VaultKey[]]> {
  const [first, ...others] = await Promise.all(rawKeys.map(importKey));
  if (first === undefined) throw new CredentialError("invalid_keys", "No credential key is given.");
  return [first, ...others];
}

async function importKey(rawKey: BufferSource): Promise<VaultKey> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", rawKey));
  const usages: KeyUsage[] = ["encrypt", "decrypt"];
  const key = await crypto.subtle.importKey("raw", rawKey, "AES-GCM", false, usages);
  return { id: encodeHex(digest.subarray(0, 4)), key };
}

function serialize(value: unknown): string {
  try {
    const text: unknown = JSON.stringify(value);
    if (typeof text === "string") return text;
  } catch {
    // The engine's message may quote the value, which is a secret.
  }
  throw new CredentialError("not_sealable", "The credentials have no JSON form.");
}

function parseSealed(
  sealed: string,
): { keyId: string; iv: BufferSource; ciphertext: BufferSource } {
  const [, keyId, ivText = "", ciphertextText = ""] = sealedPattern.exec(sealed) ?? [];
  const iv = decodeBase64Url(ivText);
  const ciphertext = decodeBase64Url(ciphertextText);
  if (keyId !== undefined && iv !== null && ciphertext !== null) return { keyId, iv, ciphertext };
  throw new CredentialError("malformed", "The stored credentials are not a sealed text.");
}

async function decrypt(
  algorithm: AesGcmParams,
  key: CryptoKey,
  ciphertext: BufferSource,
): Promise<string> {
  try {
    return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, ciphertext));
  } catch {
    throw new CredentialError(
      "not_authentic",
      "The stored credentials were altered, or sealed for another instance or another key.",
    );
  }
}

function encodeText(text: string): BufferSource {
  return new TextEncoder().encode(text);
}
