import { describeProvider } from "../descriptor.ts";
import { whatsappCloudAdministration } from "./administration.ts";
import { whatsappCloudSending } from "./sending.ts";
import { whatsappCloudWebhook } from "./webhook.ts";

/** The official channel: Meta's WhatsApp Cloud API. */
export const whatsappCloud = describeProvider({
  ...whatsappCloudSending,
  ...whatsappCloudAdministration,
  webhook: whatsappCloudWebhook,
});
