/** Finds the server that takes writes before a program starts its work on it. */

import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import { NoPrimaryError, openPrimaryHost } from "../../shared/database/primary_host.ts";
import { DatabaseHostsError } from "../../shared/runtime/database_hosts.ts";
import { StartError } from "./start_error.ts";

/** Between two looks while no host takes writes: a promotion takes seconds. */
const lookEveryMs = 1_000;

/**
 * Waits until a host of several takes writes, however long. Of a single host nothing is asked.
 *
 * @param tell is told why there is none: at first, and when the reason changes.
 * @param stopping ends the waiting.
 * @returns the address of that host; null when `stopping` came first.
 * @throws {StartError} for a list of hosts that nobody can serve.
 */
export async function awaitPrimary(
  databaseUrl: string,
  tell: (sentence: string) => void,
  stopping: Promise<void>,
): Promise<string | null> {
  let isStopping = false;
  stopping.then(() => isStopping = true);
  const primary = openHosts(databaseUrl);
  let told = "";
  try {
    while (!isStopping) {
      const server = primary.current();
      if (server !== null) return server.url;
      try {
        await primary.look();
      } catch (error) {
        if (!(error instanceof NoPrimaryError)) throw error;
        if (error.message !== told) tell(`${error.message} Waiting for one that does.`);
        told = error.message;
        await Promise.race([stopping, delay(lookEveryMs)]);
      }
    }
    return null;
  } finally {
    await primary.close();
  }
}

function openHosts(databaseUrl: string): ReturnType<typeof openPrimaryHost> {
  try {
    return openPrimaryHost(databaseUrl);
  } catch (cause) {
    if (!(cause instanceof DatabaseHostsError)) throw cause;
    throw new StartError(cause.message, { cause });
  }
}

/**
 * Refuses a standby: nothing can be written there.
 *
 * @throws {StartError} and what the driver throws where nothing answers.
 */
export async function refuseStandby(sql: Sql): Promise<void> {
  const [row] = await sql<{ isStandby: boolean }[]>`select pg_is_in_recovery() as "isStandby"`;
  if (row?.isStandby !== true) return;
  throw new StartError(standbyAlone);
}

/** What is wrong with a standby as the only host of `DATABASE_URL`, and what to do. */
export const standbyAlone =
  "The database of DATABASE_URL is a standby, which only reads: name its primary, or all hosts, of which the service takes the one that takes writes: postgres://user:password@db1:5432,db2:5432/database?target_session_attrs=read-write";
