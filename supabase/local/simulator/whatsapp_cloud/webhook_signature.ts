/**
 * Signs events as Meta does (page Webhooks). Deliberately independent of the code that verifies it.
 */

/** The value of `X-Hub-Signature-256` for the bytes of a body. */
export async function signBody(body: BufferSource, appSecret: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = new TextEncoder().encode(appSecret);
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  const digest = await crypto.subtle.sign("HMAC", key, body);
  return `sha256=${new Uint8Array(digest).toHex()}`;
}
