import type { SendingDefinition } from "../sending.ts";
import { wahaBasis, type WahaConfig } from "./config.ts";

/** The part that sends. */
export const wahaSending: SendingDefinition<"waha", WahaConfig> = {
  ...wahaBasis,
  load: async () => (await import("./provider.ts")).createWahaProvider,
};
