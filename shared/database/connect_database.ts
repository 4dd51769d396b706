import type { DatabaseConfig } from "../config.ts";
import type { Database } from "./database.ts";

/**
 * The database of the environment. The transport is loaded when it is chosen, so that a function
 * pays at start for the one it uses.
 */
export async function connectDatabase(config: DatabaseConfig): Promise<Database> {
  if (config.kind === "data_api") {
    const { openDataApiDatabase } = await import("./data_api_database.ts");
    return openDataApiDatabase(config.url, config.secretKey);
  }
  const { openDirectDatabase } = await import("./direct_database.ts");
  return openDirectDatabase(config.databaseUrl);
}
