/**
 * Webhook calls in WAHA's form (page Events): `X-Webhook-Hmac` is the HMAC-SHA512 of the body with the
 * webhook's key, in hexadecimal. Deliberately independent of the code that verifies it.
 */
import type { ChannelWebhook } from "../channel.ts";

/** The value of `X-Webhook-Hmac` for the bytes of a body. */
export async function signWahaBody(body: BufferSource, webhookKey: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-512" };
  const secret = new TextEncoder().encode(webhookKey);
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  const digest = await crypto.subtle.sign("HMAC", key, body);
  return new Uint8Array(digest).toHex();
}

export const wahaWebhook: ChannelWebhook = {
  requiredFields: ["appSecret"],
  verify: () => Promise.resolve(true),
  encode: async (event, { appSecret = "" }) => {
    const body = JSON.stringify(event);
    const signature = await signWahaBody(new TextEncoder().encode(body), appSecret);
    return {
      body,
      headers: {
        "X-Webhook-Request-Id": crypto.randomUUID(),
        "X-Webhook-Timestamp": String(Date.now()),
        "X-Webhook-Hmac": signature,
        "X-Webhook-Hmac-Algorithm": "sha512",
      },
    };
  },
};
