import postgres from "postgres";
import { isNoConnectionString, readConnectionString } from "./connection_string.ts";

/** What `schedule_dispatcher` answers, and when. */
export interface DispatcherSchedule {
  readonly missingExtensions: readonly string[];
  readonly missingSecrets: readonly string[];
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
    readonly at: string;
  }[];
  /** The database's own time, which the others are measured by. */
  readonly checkedAt: string;
}

/** Why the schedule cannot be asked for, in a sentence that holds nothing of the connection string. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
  /** @param isMisuse whether the connection string itself is none. */
  constructor(message: string, readonly isMisuse = false) {
    super(message);
  }
}

/**
 * Schedules the dispatcher, as often as one likes.
 *
 * @param databaseUrl of the database's owner.
 * @throws {ScheduleError} where the database is not reached, or does not do it.
 */
export async function scheduleDispatcher(databaseUrl: string): Promise<DispatcherSchedule> {
  if (readConnectionString(databaseUrl) === null) {
    throw new ScheduleError(`DATABASE_URL ${isNoConnectionString}`, true);
  }
  const sql = postgres(databaseUrl, { max: 1, prepare: false, onnotice: () => {} });
  try {
    const [row] = await sql`
      select messaging.schedule_dispatcher() || jsonb_build_object('checkedAt', now()) as schedule`;
    return row?.["schedule"];
  } catch (error) {
    throw new ScheduleError(describeDatabaseFault(error));
  } finally {
    await sql.end();
  }
}

/**
 * A sentence for what the driver throws. It names no host and no database: where the password holds a
 * separator, they may be parts of it.
 */
export function describeDatabaseFault(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  if (code?.startsWith("28")) {
    return "The database refuses the user or the password of DATABASE_URL.";
  }
  if (code === "3D000") {
    return "The server has no database of the name that DATABASE_URL ends with.";
  }
  if (code === "42501") {
    return `The user of DATABASE_URL may not schedule the dispatcher (${message}): take the database's owner, postgres.`;
  }
  if (code === "3F000" || (code === "42883" && message?.includes("schedule_dispatcher"))) {
    return "The database does not have the migrations yet: `deno task deploy` brings them.";
  }
  if (error instanceof postgres.PostgresError) return `The database answers: ${message} (${code}).`;
  return `No database is reached with DATABASE_URL (${code ?? "no reason is given"}).`;
}
