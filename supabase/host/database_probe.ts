import { PrimaryConnection } from "../../shared/database/primary_connection.ts";

/** Checks whether the database responds, and has room for what is to be written. */
export interface DatabaseProbe {
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

/** Time limit of a check. */
const timeoutMs = 1_000;

/**
 * Has Postgres write half a megabyte to its disk and forget it, outside the tables: a sort of more than `work_mem`. On a
 * full disk it fails with 53100, as what the functions write does. Measured: 10 ms, so it is done seldom.
 */
const spill = "select count(*) from (" +
  "select md5(number::text) as text from generate_series(1, 10000) as number order by text offset 1) as sorted";
const spillEveryMs = 2_000;

/**
 * Opens a probe with its own connection, because all connections of the functions may be busy. Of several hosts
 * one that takes writes must answer.
 */
export function openDatabaseProbe(databaseUrl: string): DatabaseProbe {
  const connection = new PrimaryConnection(databaseUrl, {
    connect_timeout: 1,
    connection: { application_name: "messaging probe", work_mem: 64 },
  });
  let roomUntil = 0;
  let pending: Promise<boolean> | null = null;
  const ask = async (): Promise<boolean> => {
    try {
      const isRoomKnown = performance.now() < roomUntil;
      await connection.use((sql) => sql.unsafe(isRoomKnown ? "select 1" : spill));
      if (!isRoomKnown) roomUntil = performance.now() + spillEveryMs;
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
    close: () => connection.close(),
  };
}
