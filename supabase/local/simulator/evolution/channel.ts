import { type Channel, plainWebhook } from "../channel.ts";
import {
  composeEvolutionChange,
  composeEvolutionConnection,
  composeEvolutionMessage,
  composeEvolutionStatus,
} from "./events.ts";
import { evolutionParts } from "./parts.ts";

/** The simulated Evolution API. */
export const evolution: Channel = {
  kind: "evolution",
  name: "Evolution API",
  path: "evolution",
  createMessageId: () => crypto.randomUUID().replaceAll("-", "").toUpperCase().slice(0, 20),
  composeMessage: composeEvolutionMessage,
  parts: evolutionParts,
  embedsFiles: true,
  composeChange: composeEvolutionChange,
  composeStatus: composeEvolutionStatus,
  composeConnection: composeEvolutionConnection,
  webhook: plainWebhook,
};
