/**
 * Signatures of outgoing webhooks (Standard Webhooks 1.0.0, standardwebhooks.com): a
 * symmetric secret, `whsec_` and base64 of 24 to 64 bytes, signs `<id>.<timestamp>.<body>`.
 */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { webhookSecretPrefix } from "./webhook_secret.ts";

/** What a signature covers. */
export interface SignedContent {
  /** The same on every attempt, so that a receiver can drop what it has. Holds no dot. */
  readonly id: string;
  /** Of the attempt, in seconds since 1970: a receiver refuses what is older than some minutes. */
  readonly timestampSeconds: number;
  readonly body: string;
}

/**
 * The value of `webhook-signature`: one signature a secret, separated by spaces. A receiver accepts
 * the call when one of them is right, so that a secret can be replaced without a lost call.
 *
 * Signs on this thread (node:crypto), for 7 µs: WebCrypto hands each signature to another thread.
 */
export function signWebhook(secrets: readonly string[], content: SignedContent): string {
  const signed = `${content.id}.${content.timestampSeconds}.${content.body}`;
  return secrets.map((secret) => {
    const key = Buffer.from(secret.slice(webhookSecretPrefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(signed, "utf8").digest("base64")}`;
  }).join(" ");
}
