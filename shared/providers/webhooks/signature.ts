/**
 * Meta's webhook signature (page Webhooks, header `X-Hub-Signature-256`): HMAC-SHA256 with the app
 * secret over the received bytes, before any parsing.
 */

const headerPattern = /^sha256=([0-9a-f]{64})$/i;

/** Whether `header` has the form of a signature. */
export function isSignature(header: string | undefined): boolean {
  return headerPattern.test(header ?? "");
}

/**
 * Whether `header` is the signature of exactly these bytes, compared in constant time. False for a
 * missing or malformed header, and for an empty secret, with which anyone could sign.
 */
export async function verifySignature(
  rawBody: BufferSource,
  header: string | undefined,
  appSecret: string,
): Promise<boolean> {
  const hex = headerPattern.exec(header ?? "")?.[1];
  if (hex === undefined || appSecret === "") return false;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = new TextEncoder().encode(appSecret);
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"]);
  return await crypto.subtle.verify("HMAC", key, decodeHex(hex), rawBody);
}

function decodeHex(hex: string): BufferSource {
  const pairs = hex.match(/../g) ?? [];
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
}
