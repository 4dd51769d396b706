/** The webhook of Z-API. Z-API does not sign it. Payloads may embed files. */
import { checkPathSecret, pathWithSecret } from "../webhooks/path_secret.ts";
import type { WebhookDefinition } from "../webhooks/webhook.ts";
import type { ZapiConfig } from "./config.ts";
import { zapiKnownFields } from "./known_fields.ts";

export const zapiWebhook: WebhookDefinition<ZapiConfig> = {
  path: pathWithSecret,
  refusal: "invalid_webhook_secret",
  embedsFiles: true,
  checkHead: checkPathSecret,
  knownFields: zapiKnownFields,
  loadEventReader: async () => (await import("./events.ts")).readZapiEvents,
};
