import type { Channel } from "../channel.ts";
import { composeCloudChange } from "./changes.ts";
import { composeCloudConnection, composeCloudMessage, composeCloudStatus } from "./events.ts";
import { cloudParts } from "./parts.ts";
import { cloudWebhook } from "./webhook.ts";

/** The simulated Cloud API. */
export const whatsappCloud: Channel = {
  kind: "whatsapp_cloud",
  name: "WhatsApp Cloud API",
  path: "graph",
  createMessageId: () => `wamid.${crypto.randomUUID().replaceAll("-", "").toUpperCase()}`,
  composeMessage: composeCloudMessage,
  parts: cloudParts,
  isOfficial: true,
  composeChange: composeCloudChange,
  composeStatus: composeCloudStatus,
  composeConnection: composeCloudConnection,
  webhook: cloudWebhook,
};
