import type { AdministrationDefinition } from "../administration.ts";
import { whatsappCloudBasis, type WhatsappCloudConfig } from "./config.ts";

/** The part that administers instances. */
export const whatsappCloudAdministration: AdministrationDefinition<
  "whatsapp_cloud",
  WhatsappCloudConfig
> = {
  ...whatsappCloudBasis,
  loadTemplateList: async () => (await import("./template_list.ts")).listWhatsappCloudTemplates,
  loadTemplateAccount: async () =>
    (await import("./template_account.ts")).openWhatsappCloudTemplates,
  loadConnection: async () => (await import("./connection.ts")).openWhatsappCloudConnection,
  loadBilledUsage: async () => (await import("./pricing_analytics.ts")).readPricingAnalytics,
};
