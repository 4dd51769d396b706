import type { SendingDefinition } from "../sending.ts";
import { whatsappCloudBasis, type WhatsappCloudConfig } from "./config.ts";

/** The part that sends. */
export const whatsappCloudSending: SendingDefinition<"whatsapp_cloud", WhatsappCloudConfig> = {
  ...whatsappCloudBasis,
  load: async () => (await import("./provider.ts")).createWhatsappCloudProvider,
};
