import { describeProvider } from "../descriptor.ts";
import { evolutionConfigSchema, evolutionSecretFields } from "./config.ts";
import { evolutionWebhook } from "./webhook.ts";

/** The gateway Evolution API v2 (self-hosted). */
export const evolution = describeProvider({
  kind: "evolution",
  providerClass: "gateway",
  config: {
    schema: evolutionConfigSchema,
    idField: "instanceName",
    secretFields: evolutionSecretFields,
    leastLengths: { webhookSecret: 24 },
  },
  load: async () => (await import("./provider.ts")).createEvolutionProvider,
  webhook: evolutionWebhook,
  loadDocs: async () => (await import("./docs.ts")).evolutionDocs,
});
