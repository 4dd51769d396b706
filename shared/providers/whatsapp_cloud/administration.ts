import type { AdministrationDefinition } from "../administration.ts";
import { whatsappCloudBasis, type WhatsappCloudConfig } from "./config.ts";

/** The part that administers instances. */
export const whatsappCloudAdministration: AdministrationDefinition<
  "whatsapp_cloud",
  WhatsappCloudConfig
> = {
  ...whatsappCloudBasis,
  loadTemplateList: async () => (await import("./template_list.ts")).listWhatsappCloudTemplates,
};
