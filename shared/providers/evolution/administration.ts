import type { AdministrationDefinition } from "../administration.ts";
import { evolutionBasis, type EvolutionConfig } from "./config.ts";

/** The part that administers instances. */
export const evolutionAdministration: AdministrationDefinition<"evolution", EvolutionConfig> = {
  ...evolutionBasis,
  loadConnection: async () => (await import("./connection.ts")).openEvolutionConnection,
};
