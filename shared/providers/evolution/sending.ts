import type { SendingDefinition } from "../sending.ts";
import { evolutionBasis, type EvolutionConfig } from "./config.ts";

/** The part that sends. */
export const evolutionSending: SendingDefinition<"evolution", EvolutionConfig> = {
  ...evolutionBasis,
  load: async () => (await import("./provider.ts")).createEvolutionProvider,
};
