import type { Channel } from "../channel.ts";
import { ConversationWindows } from "./conversation_windows.ts";
import { composeCloudConnection, composeCloudMessage, composeCloudStatus } from "./events.ts";
import { createWhatsappCloud } from "./routes.ts";
import { TemplateLibrary } from "./template_library.ts";
import { createTemplateReviews } from "./template_reviews.ts";
import { cloudWebhook } from "./webhook.ts";

/** The simulated Cloud API. */
export const whatsappCloud: Channel = {
  kind: "whatsapp_cloud",
  name: "WhatsApp Cloud API",
  path: "graph",
  createRoutes: (context) => {
    const templates = new TemplateLibrary();
    const windows = new ConversationWindows(context.store);
    return {
      provider: createWhatsappCloud({ ...context, templates, windows }),
      controls: createTemplateReviews(templates),
    };
  },
  createMessageId: () => `wamid.${crypto.randomUUID().replaceAll("-", "").toUpperCase()}`,
  composeMessage: composeCloudMessage,
  composeStatus: composeCloudStatus,
  composeConnection: composeCloudConnection,
  webhook: cloudWebhook,
};
