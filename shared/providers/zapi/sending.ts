import type { SendingDefinition } from "../sending.ts";
import { zapiBasis, type ZapiConfig } from "./config.ts";

/** The part that sends. */
export const zapiSending: SendingDefinition<"zapi", ZapiConfig> = {
  ...zapiBasis,
  load: async () => (await import("./provider.ts")).createZapiProvider,
};
