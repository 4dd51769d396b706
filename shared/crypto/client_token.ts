/**
 * Secrets of external systems. A client token is shown once, when it is issued, and stored as a hash.
 * 256 random bits need no slow hash and no salt.
 */

import { encodeBase64Url, hashText } from "./encoding.ts";

const clientTokenPrefix = "mia_";
const connectionTokenPrefix = "mcl_";
const embedKeyPrefix = "emb_";

export interface ClientToken {
  /** What the caller sends as `X-Client-Token`: `mia_` and 43 characters of base64url. */
  readonly token: string;
  /** The stored hash: see `hashClientToken`. */
  readonly tokenHash: string;
}

/** Generates a token of 32 random bytes, with its hash. */
export async function createClientToken(): Promise<ClientToken> {
  const token = clientTokenPrefix + createRandomText(32);
  return { token, tokenHash: await hashClientToken(token) };
}

/** Generates the token of a link to connect a phone: `mcl_` and 43 characters, with its hash. */
export async function createConnectionToken(): Promise<ClientToken> {
  const token = connectionTokenPrefix + createRandomText(32);
  return { token, tokenHash: await hashClientToken(token) };
}

/** Hexadecimal SHA-256 of the whole token, prefix included, in lower case. */
export function hashClientToken(token: string): Promise<string> {
  return hashText(token);
}

/** A new public identifier of an instance (specification 4.2): `emb_` and 32 characters of base64url. */
export function createEmbedKey(): string {
  return embedKeyPrefix + createRandomText(24);
}

function createRandomText(sizeBytes: number): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(sizeBytes)));
}
