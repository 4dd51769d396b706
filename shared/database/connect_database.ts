import type { DatabaseConfig } from "../runtime/config.ts";
import { shedLoad } from "./load_shedding.ts";
import type { Database } from "./database.ts";
import { retryOnConflict } from "./retrying_database.ts";

type DirectDatabaseModule = typeof import("./direct_database.ts");

/**
 * Named here and imported by this name, so that neither a bundle nor an upload holds the driver: on
 * the platform the database is reached through the Data API alone.
 */
const directDatabase = "./direct_database.ts";

/**
 * The database of the environment. The transport is loaded when it is chosen, so that a function
 * pays at start for the one it uses.
 */
export async function connectDatabase(config: DatabaseConfig): Promise<Database> {
  if (config.kind === "data_api") {
    const { openDataApiDatabase } = await import("./data_api_database.ts");
    return manage(openDataApiDatabase(config.url, config.secretKey));
  }
  const { openDirectDatabase } = await import(directDatabase) as DirectDatabaseModule;
  return manage(openDirectDatabase(config.databaseUrl));
}

function manage(database: Database): Database {
  return shedLoad(retryOnConflict(database));
}
