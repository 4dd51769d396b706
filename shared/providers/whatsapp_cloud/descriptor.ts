import { describeProvider } from "../descriptor.ts";
import { whatsappCloudConfigSchema, whatsappCloudSecretFields } from "./config.ts";
import { whatsappCloudWebhook } from "./webhook.ts";

/** The official channel: Meta's WhatsApp Cloud API. */
export const whatsappCloud = describeProvider({
  kind: "whatsapp_cloud",
  providerClass: "official",
  config: {
    schema: whatsappCloudConfigSchema,
    idField: "phoneNumberId",
    secretFields: whatsappCloudSecretFields,
    // Meta's app secrets have 32 characters. The verify token answers a single handshake.
    leastLengths: { appSecret: 8, verifyToken: 8 },
  },
  load: async () => (await import("./provider.ts")).createWhatsappCloudProvider,
  loadTemplateList: async () => (await import("./template_list.ts")).listWhatsappCloudTemplates,
  webhook: whatsappCloudWebhook,
  loadDocs: async () => (await import("./docs.ts")).whatsappCloudDocs,
});
