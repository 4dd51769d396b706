/** Webhook calls in Meta's form (page Webhooks): a verified address and signed events. */
import type { ChannelWebhook } from "../channel.ts";
import { signBody } from "./webhook_signature.ts";

const verificationTimeoutMs = 10_000;

export const cloudWebhook: ChannelWebhook = {
  requiredFields: ["appSecret", "verifyToken"],
  verify: async ({ url, verifyToken }) => {
    const challenge = String(crypto.getRandomValues(new Uint32Array(1))[0]);
    const address = new URL(url);
    address.searchParams.set("hub.mode", "subscribe");
    address.searchParams.set("hub.challenge", challenge);
    address.searchParams.set("hub.verify_token", verifyToken ?? "");
    try {
      const response = await fetch(address, {
        signal: AbortSignal.timeout(verificationTimeoutMs),
      });
      return response.status === 200 && await response.text() === challenge;
    } catch {
      return false;
    }
  },
  encode: async (event, { appSecret = "" }) => {
    const body = escapeJson(event);
    const signature = await signBody(new TextEncoder().encode(body), appSecret);
    return { body, headers: { "X-Hub-Signature-256": signature } };
  },
};

/** Meta escapes every non-ASCII character in lower-case hexadecimal, and signs the escaped text. */
export function escapeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
