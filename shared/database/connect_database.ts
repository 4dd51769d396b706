import type { DatabaseConfig, PromotionPolicy } from "../runtime/config.ts";
import type { Database } from "./database.ts";
import { type LoadVault, supplyDenialHashes } from "./denial_hashes.ts";
import { announceRecordedEvents } from "./event_announcing.ts";
import { groupCalls } from "./grouped_calls.ts";
import { noteServerBeforeClaims } from "./noted_server.ts";
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
 *
 * @param credentialsKeys as `createCredentialVault` takes them.
 */
export async function connectDatabase(
  config: DatabaseConfig,
  credentialsKeys: string,
): Promise<Database> {
  const loadVault: LoadVault = async () => {
    const { createCredentialVault } = await import("../crypto/credential_vault.ts");
    return createCredentialVault(credentialsKeys);
  };
  const { promotion } = config;
  if (config.kind === "data_api") {
    const { openDataApiDatabase } = await import("./data_api_database.ts");
    return manage(openDataApiDatabase(config.url, config.secretKey), promotion, loadVault);
  }
  const { openDirectDatabase } = await import(directDatabase) as DirectDatabaseModule;
  const { databaseUrl, readUrl = null } = config;
  const direct = openDirectDatabase(databaseUrl, { promotion, readUrl });
  return manage(direct, promotion, loadVault);
}

/**
 * Puts the six wrappers around a transport, which may read from a standby (`readFromStandby`). From the outside in:
 *
 * 1. `shedLoad`: outermost, because it counts calls of requests, not groups.
 * 2. `supplyDenialHashes`: repeats a call with hashes. The repeated call is retried on a conflict too.
 * 3. `retryOnConflict`: around the groups. A group that lost a conflict is never repeated as a group,
 *    its calls run alone.
 * 4. `groupCalls`: several calls of one function as one transaction.
 * 5. `announceRecordedEvents`: one announcement for a group.
 * 6. `noteServerBeforeClaims`: innermost, a call of its own.
 */
function manage(
  database: Database,
  promotion: PromotionPolicy,
  loadVault: LoadVault,
): Database {
  const noting = noteServerBeforeClaims(database, promotion);
  const grouped = groupCalls(announceRecordedEvents(noting));
  return shedLoad(supplyDenialHashes(retryOnConflict(grouped), loadVault));
}
