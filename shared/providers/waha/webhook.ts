/**
 * The webhook of WAHA (page Events, HMAC authentication): each delivery is signed by HMAC-SHA512 with the
 * session's key over the received bytes, in hexadecimal.
 */
import { isSignature, type SignatureForm, verifySignature } from "../webhooks/signature.ts";
import type { WebhookDefinition, WebhookHead } from "../webhooks/webhook.ts";
import type { WahaConfig } from "./config.ts";
import { wahaKnownFields } from "./known_fields.ts";

const form: SignatureForm = { hash: "SHA-512", prefix: "" };

function readSignature({ header }: WebhookHead): string | undefined {
  const algorithm = header("x-webhook-hmac-algorithm") ?? "sha512";
  return algorithm.toLowerCase() === "sha512" ? header("x-webhook-hmac") : undefined;
}

export const wahaWebhook: WebhookDefinition<WahaConfig> = {
  path: "",
  refusal: "invalid_webhook_signature",
  // WAHA tells where a file is. Without its bytes the signature would not be of the body.
  embedsFiles: false,
  checkHead: (_, head) => Promise.resolve(isSignature(form, readSignature(head))),
  checkBody: ({ webhookKey }, call) =>
    verifySignature(form, call.body, readSignature(call), webhookKey),
  knownFields: wahaKnownFields,
  loadEventReader: async () => (await import("./events.ts")).readWahaEvents,
};
