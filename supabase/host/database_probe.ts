import postgres from "postgres";
import { reconnectSeconds } from "../../shared/database/direct_database.ts";

/** Checks whether the database responds. */
export interface DatabaseProbe {
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

/** Time limit of a check. */
const timeoutMs = 1_000;

/** Opens a probe with its own connection, because all connections of the functions may be busy. */
export function openDatabaseProbe(databaseUrl: string): DatabaseProbe {
  const sql = postgres(databaseUrl, {
    max: 1,
    onnotice: () => {},
    connect_timeout: 1,
    backoff: reconnectSeconds,
    connection: { application_name: "messaging probe" },
  });
  let pending: Promise<boolean> | null = null;
  const ask = async (): Promise<boolean> => {
    try {
      await sql`select 1`;
      return true;
    } catch {
      return false;
    } finally {
      pending = null;
    }
  };
  return {
    answers: async () => {
      // A second query would only wait behind the pending one.
      pending ??= ask();
      const { promise: isLate, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => resolve(false), timeoutMs);
      try {
        return await Promise.race([pending, isLate]);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => sql.end({ timeout: 1 }),
  };
}
