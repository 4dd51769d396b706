/**
 * Meta's signature of a webhook (page Webhooks, header `X-Hub-Signature-256`): HMAC-SHA256 with the
 * app secret over the bytes as sent, before anything is parsed.
 */
import { encodeHex } from "../encoding.ts";

const headerPattern = /^sha256=([0-9a-f]{64})$/i;

/**
 * Whether `header` is the signature of exactly these bytes, compared in constant time. False for a
 * missing or malformed header, and for an empty secret: it would prove nothing.
 */
export async function verifySignature(
  rawBody: BufferSource,
  header: string | undefined,
  appSecret: string,
): Promise<boolean> {
  const hex = headerPattern.exec(header ?? "")?.[1];
  if (hex === undefined || appSecret === "") return false;
  const key = await importSecret(appSecret, "verify");
  return await crypto.subtle.verify("HMAC", key, decodeHex(hex), rawBody);
}

/** The header's value for these bytes: `sha256=` and the hexadecimal signature. */
export async function signPayload(rawBody: BufferSource, appSecret: string): Promise<string> {
  const key = await importSecret(appSecret, "sign");
  const signature = await crypto.subtle.sign("HMAC", key, rawBody);
  return `sha256=${encodeHex(new Uint8Array(signature))}`;
}

function importSecret(appSecret: string, usage: "sign" | "verify"): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = new TextEncoder().encode(appSecret);
  return crypto.subtle.importKey("raw", bytes, algorithm, false, [usage]);
}

function decodeHex(hex: string): BufferSource {
  const pairs = hex.match(/../g) ?? [];
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
}
