import { type Channel, plainWebhook } from "../channel.ts";
import { composeZapiConnection, composeZapiMessage, composeZapiStatus } from "./events.ts";
import { createId, createZapi } from "./routes.ts";

/** The simulated Z-API. */
export const zapi: Channel = {
  kind: "zapi",
  name: "Z-API",
  path: "zapi",
  createRoutes: (context) => ({ provider: createZapi(context) }),
  createMessageId: () => createId(20),
  composeMessage: composeZapiMessage,
  composeStatus: composeZapiStatus,
  composeConnection: composeZapiConnection,
  webhook: plainWebhook,
};
