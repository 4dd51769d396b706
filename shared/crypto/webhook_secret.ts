/** Secrets of outgoing webhooks (Standard Webhooks 1.0.0): `whsec_` and base64 of 24 to 64 bytes. */
import { encodeBase64 } from "./encoding.ts";

/** What a secret begins with; its base64 follows. */
export const webhookSecretPrefix = "whsec_";

/** As long as the digest of HMAC-SHA256: a longer key adds nothing. */
const secretSizeBytes = 32;

/** Generates a secret of 32 random bytes. */
export function createWebhookSecret(): string {
  return webhookSecretPrefix +
    encodeBase64(crypto.getRandomValues(new Uint8Array(secretSizeBytes)));
}
