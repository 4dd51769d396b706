import postgres from "postgres";
import { withTimeout } from "../runtime/time_limit.ts";
import { Semaphore } from "../runtime/semaphore.ts";
import { callTimeoutMs, type Database } from "./database.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { toDatabaseError } from "./sqlstates.ts";

/** Size of the connection pool of one process. Further calls queue for a connection. */
const maxConnections = 20;
/**
 * Delay before a reconnect, in seconds. The driver's default backoff counts the failures of all
 * connections together and delays the reconnect by up to 20 s after a restart under load.
 */
export const reconnectSeconds = (): number => 0.1 + Math.random() * 0.2;
/**
 * The platform's value for service_role. It is shorter than the caller's time-out
 * (`callTimeoutMs`), so that no statement keeps running after its caller received an error.
 */
const statementTimeoutMs = 8_000;
/** How long closing the pool waits for calls in progress, in seconds. */
const closeTimeoutSeconds = 5;
/**
 * The same when a pool is replaced because one connection is dead, in seconds. It exceeds
 * `statementTimeoutMs`, so that the calls on the other connections can finish.
 */
const replaceTimeoutSeconds = 9;

/**
 * Opens the database over the Postgres protocol, for a single machine. Uses prepared statements,
 * one round trip per call and the role service_role, as the Data API does.
 */
export function openDirectDatabase(databaseUrl: string, timeoutMs = callTimeoutMs): Database {
  // Limits concurrency here instead of in the driver's queue. The driver would execute a queued
  // call after its caller timed out, or pipeline it behind another call on the same connection.
  const permits = new Semaphore(maxConnections);
  let pool = openPool(databaseUrl);
  let closing: Promise<unknown> = Promise.resolve();
  // The driver never releases a dead connection, so a time-out replaces the whole pool.
  const replace = (silent: postgres.Sql): void => {
    if (pool !== silent) return;
    pool = openPool(databaseUrl);
    closing = Promise.all([closing, silent.end({ timeout: replaceTimeoutSeconds })]);
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
      await Promise.all([closing, pool.end({ timeout: closeTimeoutSeconds })]);
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
    // No call has an array as parameter or result. Otherwise each new connection would first read all
    // array types of the catalogue.
    fetch_types: false,
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
