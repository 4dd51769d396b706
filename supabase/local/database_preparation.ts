import postgres from "postgres";
import type { Sql } from "postgres";
import { endLeases } from "./claim_recovery.ts";
import { type DatabaseUpgrade, upgradeDatabase } from "../host/database_upgrade.ts";
import type { DataPlace } from "../host/database_version.ts";
import { refuseStandby } from "../host/primary_start.ts";
import { createPlatformRoles } from "../host/roles.ts";
import { StartError } from "../host/start_error.ts";

const seed = new URL("../seed.sql", import.meta.url);

/**
 * Prepares a database for the functions: the platform's roles, every migration, and the demo workspace.
 * In an embedded database it also ends all leases, whose workers died with the former stack. A shared
 * database may have live workers, so its leases end by time.
 *
 * @param embeddedIn the folder of the data of an embedded database; null for a shared one.
 * @returns what was upgraded, if anything.
 * @throws {StartError} when the database cannot be reached or entered, is a standby, or is of another version.
 * @throws {MigrationError} when a migration fails.
 */
export async function prepareDatabase(
  databaseUrl: string,
  embeddedIn: string | null,
): Promise<DatabaseUpgrade | null> {
  const sql: Sql = postgres(databaseUrl, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await checkConnection(sql);
    await createPlatformRoles(sql);
    const upgrade = await upgradeDatabase(sql, describePlace(embeddedIn));
    await sql.unsafe(await Deno.readTextFile(seed));
    if (embeddedIn !== null) await endLeases(sql);
    return upgrade;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function describePlace(embeddedIn: string | null): DataPlace {
  return embeddedIn === null
    ? {
      name: "The database of DATABASE_URL",
      startAnew: "start on new data: let DATABASE_URL name an empty database",
    }
    : {
      name: `The data in ${embeddedIn}`,
      startAnew: "start on new data: set DATA_DIR to a new folder",
    };
}

async function checkConnection(sql: Sql): Promise<void> {
  try {
    await refuseStandby(sql);
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    const { code = "unknown" } = cause as { code?: unknown };
    throw new StartError(
      `The database of DATABASE_URL cannot be used (${code}): check its address and credentials, or unset DATABASE_URL to use the embedded one.`,
      { cause },
    );
  }
}
