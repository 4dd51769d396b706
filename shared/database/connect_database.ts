import type { DatabaseConfig } from "../runtime/config.ts";
import type { Database } from "./database.ts";
import { announceRecordedEvents } from "./event_announcing.ts";
import { groupCalls } from "./grouped_calls.ts";
import { shedLoad } from "./load_shedding.ts";
import { retryOnConflict } from "./retrying_database.ts";

type DirectDatabaseModule = typeof import("./direct_database.ts");

/**
 * A variable holds the module's path, so that bundlers and uploads leave the driver out. The hosted
 * platform reaches the database through the Data API alone.
 */
const directDatabase = "./direct_database.ts";

/**
 * Connects to the database that the environment names. Loads only the chosen transport, so that a
 * function's cold start pays for no other.
 */
export async function connectDatabase(config: DatabaseConfig): Promise<Database> {
  if (config.kind === "data_api") {
    const { openDataApiDatabase } = await import("./data_api_database.ts");
    return manage(openDataApiDatabase(config.url, config.secretKey));
  }
  const { openDirectDatabase } = await import(directDatabase) as DirectDatabaseModule;
  return manage(openDirectDatabase(config.databaseUrl));
}

/**
 * Load shedding is outermost: it counts calls of requests, not groups. Retries surround the groups: a
 * group that lost a conflict is never repeated as a group, its calls run alone. Announcements are
 * innermost: one for a group.
 */
function manage(database: Database): Database {
  return shedLoad(retryOnConflict(groupCalls(announceRecordedEvents(database))));
}
