import type { AdministrationDefinition } from "../administration.ts";
import { wahaBasis, type WahaConfig } from "./config.ts";

/** The part that administers instances. */
export const wahaAdministration: AdministrationDefinition<"waha", WahaConfig> = {
  ...wahaBasis,
  loadConnection: async () => (await import("./connection.ts")).openWahaConnection,
};
