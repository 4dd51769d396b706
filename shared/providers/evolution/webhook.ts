/**
 * The webhook of Evolution API v2. Evolution does not sign it. Payloads may embed files ("Webhook
 * Base64").
 */
import { checkPathSecret, pathWithSecret } from "../webhooks/path_secret.ts";
import type { WebhookDefinition } from "../webhooks/webhook.ts";
import type { EvolutionConfig } from "./config.ts";
import { evolutionKnownFields } from "./known_fields.ts";

export const evolutionWebhook: WebhookDefinition<EvolutionConfig> = {
  // Evolution has an option that appends the event's name to the address.
  path: `${pathWithSecret}/:event?`,
  refusal: "invalid_webhook_secret",
  embedsFiles: true,
  checkHead: checkPathSecret,
  knownFields: evolutionKnownFields,
  loadEventReader: async () => (await import("./events.ts")).readEvolutionEvents,
};
