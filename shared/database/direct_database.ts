import postgres from "postgres";
import { withTimeout } from "../runtime/time_limit.ts";
import { Semaphore } from "../runtime/semaphore.ts";
import { callTimeoutMs, type Database } from "./database.ts";
import { RecentConnections } from "./recent_connections.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { toDatabaseError } from "./sqlstates.ts";

/** Connections of one process. Further calls queue for a connection. */
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
/** How long closing waits for calls in progress, in seconds. */
const closeTimeoutSeconds = 5;
/**
 * The same for a connection that did not answer in time, in seconds. It exceeds `statementTimeoutMs`, so that a
 * call whose caller timed out is executed or canceled, not cut off.
 */
const silentTimeoutSeconds = 9;

/**
 * Opens the database over the Postgres protocol, for a single machine. Uses prepared statements,
 * one round trip per call and the role service_role, as the Data API does.
 */
export function openDirectDatabase(databaseUrl: string, timeoutMs = callTimeoutMs): Database {
  // Limits concurrency here instead of in the driver's queue. The driver would execute a queued
  // call after its caller timed out, or pipeline it behind another call on the same connection.
  const permits = new Semaphore(maxConnections);
  const connections = new RecentConnections(() => openConnection(databaseUrl), {
    silentTimeoutSeconds,
    closeTimeoutSeconds,
  });
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      if (!await permits.acquire(timeoutMs)) throw toDatabaseError(name, "ETIMEDOUT");
      try {
        return await callOnce(connections, { name, request, timeoutMs });
      } finally {
        permits.release();
      }
    },
    close: () => connections.close(),
  };
}

interface Call<Name extends RpcName> {
  readonly name: Name;
  readonly request: RequestOf<Name>;
  readonly timeoutMs: number;
}

/** Executes a call. Only a connection on which the server has answered serves another one. */
async function callOnce<Name extends RpcName>(
  connections: RecentConnections,
  { name, request, timeoutMs }: Call<Name>,
): Promise<ResultOf<Name>> {
  const connection = connections.take();
  if (connection === null) throw toDatabaseError(name, "CONNECTION_ENDED");
  let rows: postgres.RowList<postgres.Row[]> | null;
  try {
    rows = await withTimeout(callFunction(connection, name, request), timeoutMs);
  } catch (error) {
    if (isAnswer(error)) connections.putBack(connection);
    else connections.discardBroken(connection);
    throw toDatabaseError(name, readText(error, "code"), readText(error, "detail"));
  }
  if (rows !== null) {
    connections.putBack(connection);
    return rows[0]?.["result"] as ResultOf<Name>;
  }
  connections.discardSilent(connection);
  throw toDatabaseError(name, "ETIMEDOUT");
}

/** A client with one connection: `RecentConnections` chooses among them, not the driver. */
function openConnection(databaseUrl: string): postgres.Sql {
  return postgres(databaseUrl, {
    max: 1,
    connection: {
      role: "service_role",
      application_name: "messaging",
      statement_timeout: statementTimeoutMs,
      // Compiling takes longer than any call may: a plan that looks dear is not worth it.
      jit: false,
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
  connection: postgres.Sql,
  name: string,
  request: object,
): Promise<postgres.RowList<postgres.Row[]>> {
  return connection.unsafe(
    `select public.${name}($1::text::jsonb) as result`,
    [JSON.stringify(request)],
    { prepare: true },
  );
}

function readText(error: unknown, member: "code" | "detail"): string | undefined {
  const text = (error as Partial<Record<string, unknown>> | null)?.[member];
  return typeof text === "string" ? text : undefined;
}

/** Whether the server refused the statement and keeps the session: severity ERROR, not FATAL. */
function isAnswer(error: unknown): boolean {
  return (error as { severity?: unknown } | null)?.severity === "ERROR";
}
