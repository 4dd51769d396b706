import type postgres from "postgres";
import { withTimeout } from "../runtime/time_limit.ts";
import type { PromotionPolicy } from "../runtime/config.ts";
import { consoleLog } from "../runtime/log.ts";
import { Semaphore } from "../runtime/semaphore.ts";
import { callTimeoutMs, type Database } from "./database.ts";
import { tellPromotion } from "./noted_server.ts";
import type { NotedServer } from "./rpcs/availability.ts";
import { type DatabaseServer, openPrimaryHost, type PrimaryHost } from "./primary_host.ts";
import {
  callFunction,
  isAnswer,
  openConnection,
  readText,
  statementTimeoutMs,
} from "./direct_connection.ts";
import { openStandby } from "./direct_standby.ts";
import { RecentConnections } from "./recent_connections.ts";
import { readFromStandby } from "./standby_reads.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { toDatabaseError } from "./sqlstates.ts";

/** Connections of one process. Further calls queue for a connection. */
const maxConnections = 20;
/**
 * For the note of a promotion, which holds every instance: measured 3.7 s for 2,000 instances of as many workspaces
 * that are told by e-mail. Its caller does not wait so long, and repeats its call.
 */
const noteTimeoutMs = 60_000;
/** The server only reads: it is a standby, or has been made one. */
const readOnlyState = "25006";
/** How long closing waits for calls in progress, in seconds. */
const closeTimeoutSeconds = 5;
/**
 * The same for a connection that did not answer in time, in seconds. It exceeds `statementTimeoutMs`, so that a
 * call whose caller timed out is executed or canceled, not cut off.
 */
const silentTimeoutSeconds = 9;

export interface DirectOptions {
  /** How long a call waits for its result. */
  readonly timeoutMs?: number;
  /** What follows on a server that may lack commits. */
  readonly promotion?: PromotionPolicy;
  /** Address of a standby that may be read; null or absent for none. See `readFromStandby`. */
  readonly readUrl?: string | null;
}

/**
 * Opens the database over the Postgres protocol: the server that takes writes, and where one is named, a standby
 * beside it.
 *
 * @throws {DatabaseHostsError}
 */
export function openDirectDatabase(databaseUrl: string, options: DirectOptions = {}): Database {
  const { readUrl = null } = options;
  const primary = openPrimaryDatabase(databaseUrl, options);
  return readUrl === null ? primary : readFromStandby(primary, openStandby(readUrl));
}

/**
 * Opens the database over the Postgres protocol, for a single machine. Uses prepared statements,
 * one round trip per call and the role service_role, as the Data API does. Of several hosts it uses the one
 * that takes writes: see `openPrimaryHost`.
 *
 * @throws {DatabaseHostsError}
 */
function openPrimaryDatabase(
  databaseUrl: string,
  { timeoutMs = callTimeoutMs, promotion = "hold" }: DirectOptions = {},
): Database {
  // Limits concurrency here instead of in the driver's queue. The driver would execute a queued
  // call after its caller timed out, or pipeline it behind another call on the same connection.
  const permits = new Semaphore(maxConnections);
  const primary = openPrimaryHost(databaseUrl);
  const connections = new RecentConnections(openConnection, {
    silentTimeoutSeconds,
    closeTimeoutSeconds,
  });
  const pool: Pool = { connections, primary, promotion, noted: new WeakSet() };
  const stopListening = primary.onLeave(() => connections.discardAll());
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      if (!await permits.acquire(timeoutMs)) throw toDatabaseError(name, "ETIMEDOUT");
      try {
        return await callOnce(pool, { name, request, timeoutMs });
      } finally {
        permits.release();
      }
    },
    close: async () => {
      stopListening();
      await connections.close();
      await primary.close();
    },
  };
}
interface Pool {
  readonly connections: RecentConnections;
  readonly primary: PrimaryHost;
  readonly promotion: PromotionPolicy;
  /** Connections on which `note_server` has been called: nothing else is called before it. */
  readonly noted: WeakSet<postgres.Sql>;
}

interface Call<Name extends RpcName> {
  readonly name: Name;
  readonly request: RequestOf<Name>;
  readonly timeoutMs: number;
}

/** Executes a call. Only a connection on which the server has answered serves another one. */
async function callOnce<Name extends RpcName>(
  pool: Pool,
  { name, request, timeoutMs }: Call<Name>,
): Promise<ResultOf<Name>> {
  const { connections, primary } = pool;
  const server = await findServer(primary, name);
  const connection = connections.take(server.url);
  if (connection === null) throw toDatabaseError(name, "CONNECTION_ENDED");
  let rows: postgres.RowList<postgres.Row[]> | null;
  try {
    rows = await withTimeout(callNoted(pool, connection, name, request), timeoutMs);
  } catch (error) {
    const code = readText(error, "code");
    if (isAnswer(error) && code !== readOnlyState) connections.putBack(connection);
    else {
      connections.discardBroken(connection);
      primary.suspect(server);
    }
    throw toDatabaseError(name, code, readText(error, "detail"));
  }
  if (rows !== null) {
    connections.putBack(connection);
    return rows[0]?.["result"] as ResultOf<Name>;
  }
  connections.discardSilent(connection);
  primary.suspect(server);
  throw toDatabaseError(name, "ETIMEDOUT");
}

/** How often a call looks for a server that another call suspects at once again. */
const maxLooks = 3;

async function findServer(primary: PrimaryHost, name: string): Promise<DatabaseServer> {
  for (let looks = 0; looks < maxLooks; looks++) {
    const server = primary.current();
    if (server !== null) return server;
    try {
      await primary.look();
    } catch (error) {
      throw toDatabaseError(name, readText(error, "code"));
    }
  }
  throw toDatabaseError(name, "NO_PRIMARY");
}

/** A promotion ends every connection, so a server is noted before it does anything else for this process. */
async function callNoted(
  { noted, promotion }: Pool,
  connection: postgres.Sql,
  name: RpcName,
  request: object,
): Promise<postgres.RowList<postgres.Row[]>> {
  if (!noted.has(connection)) {
    tellPromotion(await noteServer(connection, promotion), consoleLog);
    noted.add(connection);
  }
  return await callFunction(connection, name, request);
}

/**
 * One message of three statements, each with the time limit of its own. Where it fails, the limit is what it
 * was.
 */
async function noteServer(
  connection: postgres.Sql,
  promotion: PromotionPolicy,
): Promise<NotedServer> {
  const results: unknown = await connection.unsafe(
    `set statement_timeout = ${noteTimeoutMs};
    select public.note_server('{"promotion": "${promotion}"}') as result;
    set statement_timeout = ${statementTimeoutMs}`,
  );
  const [, [noted] = []] = results as readonly (readonly { readonly result: NotedServer }[])[];
  if (noted === undefined) throw new Error("the note of the server has no answer");
  return noted.result;
}
