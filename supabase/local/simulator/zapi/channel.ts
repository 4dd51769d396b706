import { type Channel, plainWebhook } from "../channel.ts";
import {
  composeZapiChange,
  composeZapiConnection,
  composeZapiMessage,
  composeZapiStatus,
} from "./events.ts";
import { zapiParts } from "./parts.ts";
import { createId } from "./ids.ts";

/** The simulated Z-API. */
export const zapi: Channel = {
  kind: "zapi",
  name: "Z-API",
  path: "zapi",
  createMessageId: () => createId(20),
  composeMessage: composeZapiMessage,
  parts: zapiParts,
  composeChange: composeZapiChange,
  composeStatus: composeZapiStatus,
  composeConnection: composeZapiConnection,
  webhook: plainWebhook,
};
