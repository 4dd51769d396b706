import postgres from "postgres";
import { PrimaryConnection } from "../../shared/database/primary_connection.ts";
import { DatabaseHostsError, readDatabaseHosts } from "../../shared/runtime/database_hosts.ts";
import { invalidConnectionString, readConnectionString } from "./connection_string.ts";

/** The result of the SQL function `schedule_dispatcher`. */
export interface DispatcherSchedule {
  readonly missingExtensions: readonly string[];
  readonly missingSecrets: readonly string[];
  /** Names of secrets that Vault has and cannot decrypt. */
  readonly unreadableSecrets: readonly string[];
  readonly job: {
    readonly schedule: string;
    readonly command: string;
    readonly isActive: boolean;
  } | null;
  readonly lastRuns: readonly {
    readonly status: string;
    readonly message: string | null;
    readonly startedAt: string | null;
  }[];
  readonly lastAnswers: readonly {
    readonly statusCode: number | null;
    readonly error: string | null;
    /** When pg_net began the call; it keeps no time of the answer. */
    readonly calledAt: string;
  }[];
  /** The database's current time; all other times are compared with it. */
  readonly checkedAt: string;
}

/** The schedule cannot be read or created. The message contains no part of the connection string. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
  /** @param isMisuse whether the connection string itself is invalid. */
  constructor(message: string, readonly isMisuse = false) {
    super(message);
  }
}

/**
 * Creates or corrects the dispatcher's schedule. Idempotent.
 *
 * @param databaseUrl connection string of the database's owner.
 * @throws {ScheduleError} when the database is unreachable or rejects the call.
 */
export async function scheduleDispatcher(databaseUrl: string): Promise<DispatcherSchedule> {
  const connection = new PrimaryConnection(readUrl(databaseUrl), { prepare: false });
  try {
    const [row] = await connection.use((sql) =>
      sql`
      select messaging.schedule_dispatcher() || jsonb_build_object('checkedAt', now()) as schedule`
    );
    return row?.["schedule"];
  } catch (error) {
    throw new ScheduleError(describeDatabaseFault(error));
  } finally {
    await connection.close();
  }
}

/** Each host's address is read by itself: a list of hosts is no URL. @throws {ScheduleError} */
function readUrl(databaseUrl: string): string {
  try {
    const isReadable = readDatabaseHosts(databaseUrl).every((url) =>
      readConnectionString(url) !== null
    );
    if (isReadable) return databaseUrl;
  } catch (cause) {
    if (!(cause instanceof DatabaseHostsError)) throw cause;
    throw new ScheduleError(cause.message, true);
  }
  throw new ScheduleError(`DATABASE_URL ${invalidConnectionString}`, true);
}

/**
 * Describes an error of the driver in one sentence. Names no host and no database: where the password
 * contains a separator, they may be parts of the password.
 */
export function describeDatabaseFault(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  if (code?.startsWith("28")) {
    return "The database rejects the user or password of DATABASE_URL.";
  }
  if (code === "3D000") {
    return "The database at the end of DATABASE_URL does not exist.";
  }
  if (code === "25006") {
    return "The database of DATABASE_URL is a standby, which only reads: name its primary, or all hosts as postgres://user:password@db1:5432,db2:5432/database.";
  }
  if (code === "NO_PRIMARY") return message ?? "";
  if (code === "42501") {
    return `The user of DATABASE_URL may not schedule the dispatcher (${message}). Use the database's owner, postgres.`;
  }
  if (code === "3F000" || (code === "42883" && message?.includes("schedule_dispatcher"))) {
    return "The database does not have the migrations yet: run `deno task deploy`.";
  }
  if (error instanceof postgres.PostgresError) return `The database reports: ${message} (${code}).`;
  return `The database of DATABASE_URL cannot be reached (${code ?? "unknown reason"}).`;
}
