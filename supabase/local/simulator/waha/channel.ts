import type { Channel } from "../channel.ts";
import {
  composeWahaChange,
  composeWahaConnection,
  composeWahaMessage,
  composeWahaStatus,
} from "./events.ts";
import { createBareId } from "./ids.ts";
import { wahaParts } from "./parts.ts";
import { wahaWebhook } from "./webhook.ts";

/** The simulated WAHA. */
export const waha: Channel = {
  kind: "waha",
  name: "WAHA",
  path: "waha",
  createMessageId: createBareId,
  composeMessage: composeWahaMessage,
  parts: wahaParts,
  composeChange: composeWahaChange,
  composeStatus: composeWahaStatus,
  composeConnection: composeWahaConnection,
  webhook: wahaWebhook,
};
