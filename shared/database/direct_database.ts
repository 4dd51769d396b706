import postgres from "postgres";
import { withTimeout } from "../runtime/time_limit.ts";
import { Semaphore } from "../runtime/semaphore.ts";
import { callTimeoutMs, type Database } from "./database.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { toDatabaseError } from "./sqlstates.ts";

/** Connections of one process: more than a function's concurrency needs none. */
const maxConnections = 20;
/**
 * Pause before connecting again, in seconds. The driver's own grows with the failures of all
 * connections together: a server that restarts under load would be missed for up to 20 s.
 */
export const reconnectSeconds = (): number => 0.1 + Math.random() * 0.2;
/**
 * As the platform gives service_role: a call that waits for a lock that long gives up, before its
 * caller does (`callTimeoutMs`), so that nothing runs on after a caller was told that it failed.
 */
const statementTimeoutMs = 8_000;
/** For the calls under way when connections are let go of; in seconds. */
const partingSeconds = 5;
/** The same for connections of which only one may have gone silent: others end by the server's bound. */
const replacingSeconds = 9;

/**
 * The database over its own protocol, for a single machine: prepared statements, one round trip a
 * call, as service_role like the Data API.
 */
export function openDirectDatabase(databaseUrl: string, timeoutMs = callTimeoutMs): Database {
  // In the driver's own line a call would be executed after its caller was told that it failed, or
  // wait behind another one on the same connection.
  const permits = new Semaphore(maxConnections);
  let pool = openPool(databaseUrl);
  let parting: Promise<unknown> = Promise.resolve();
  // The driver frees no connection that went silent; those of another pool wait for nothing.
  const replace = (silent: postgres.Sql): void => {
    if (pool !== silent) return;
    pool = openPool(databaseUrl);
    parting = Promise.all([parting, silent.end({ timeout: replacingSeconds })]);
  };
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      if (!await permits.acquire(timeoutMs)) throw toDatabaseError(name, "ETIMEDOUT");
      const used = pool;
      try {
        const rows = await withTimeout(callFunction(used, name, request), timeoutMs);
        if (rows !== null) return rows[0]?.["result"] as ResultOf<Name>;
      } catch (error) {
        throw toDatabaseError(name, readCode(error));
      } finally {
        permits.release();
      }
      replace(used);
      throw toDatabaseError(name, "ETIMEDOUT");
    },
    close: async () => {
      await Promise.all([parting, pool.end({ timeout: partingSeconds })]);
    },
  };
}

function openPool(databaseUrl: string): postgres.Sql {
  return postgres(databaseUrl, {
    max: maxConnections,
    connection: {
      role: "service_role",
      application_name: "messaging",
      statement_timeout: statementTimeoutMs,
    },
    onnotice: () => {},
    idle_timeout: 60,
    connect_timeout: 10,
    backoff: reconnectSeconds,
  });
}

function callFunction(
  pool: postgres.Sql,
  name: string,
  request: object,
): Promise<postgres.RowList<postgres.Row[]>> {
  return pool.unsafe(
    `select public.${name}($1::text::jsonb) as result`,
    [JSON.stringify(request)],
    { prepare: true },
  );
}

function readCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
