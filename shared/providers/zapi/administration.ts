import type { AdministrationDefinition } from "../administration.ts";
import { zapiBasis, type ZapiConfig } from "./config.ts";

/** The part that administers instances. */
export const zapiAdministration: AdministrationDefinition<"zapi", ZapiConfig> = {
  ...zapiBasis,
  loadConnection: async () => (await import("./connection.ts")).openZapiConnection,
};
