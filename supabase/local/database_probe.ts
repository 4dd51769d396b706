import postgres from "postgres";
import { reconnectSeconds } from "../../shared/database/direct_database.ts";

/** Asks whether the database answers. */
export interface DatabaseProbe {
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

/** A database that takes longer serves nobody. */
const patienceMs = 1_000;

/** One connection of its own: those of the functions may all be waiting. */
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
      // While one question waits for its answer another would only wait behind it.
      pending ??= ask();
      const { promise: isLate, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => resolve(false), patienceMs);
      try {
        return await Promise.race([pending, isLate]);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => sql.end({ timeout: 1 }),
  };
}
