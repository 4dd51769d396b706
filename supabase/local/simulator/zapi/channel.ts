import { type Channel, plainWebhook } from "../channel.ts";
import { composeZapiConnection, composeZapiMessage, composeZapiStatus } from "./events.ts";
import { createId } from "./ids.ts";

/** The simulated Z-API. */
export const zapi: Channel = {
  kind: "zapi",
  name: "Z-API",
  path: "zapi",
  createMessageId: () => createId(20),
  composeMessage: composeZapiMessage,
  composeStatus: composeZapiStatus,
  composeConnection: composeZapiConnection,
  webhook: plainWebhook,
};
