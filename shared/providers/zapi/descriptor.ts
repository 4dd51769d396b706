import { describeProvider } from "../descriptor.ts";
import { zapiConfigSchema, zapiSecretFields } from "./config.ts";
import { zapiWebhook } from "./webhook.ts";

/** The gateway Z-API. */
export const zapi = describeProvider({
  kind: "zapi",
  providerClass: "gateway",
  config: {
    schema: zapiConfigSchema,
    idField: "gatewayInstanceId",
    secretFields: zapiSecretFields,
    leastLengths: { webhookSecret: 24 },
  },
  load: async () => (await import("./provider.ts")).createZapiProvider,
  webhook: zapiWebhook,
  loadDocs: async () => (await import("./docs.ts")).zapiDocs,
});
