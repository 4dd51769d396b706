/**
 * One scheduler for all processes and machines of one database. The lease is an advisory lock of a
 * session: it ends with its process at once, with its machine when Postgres has missed it for half a minute, and
 * with its server: after a promotion it is taken anew. Two schedulers at once, after a network has failed, send nothing twice: runs of
 * the dispatcher may overlap.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import { PrimaryConnection } from "../../shared/database/primary_connection.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";
import { withTimeout } from "../../shared/runtime/time_limit.ts";
import type { Scheduler } from "../host/scheduler.ts";

/** How often a process asks for the lease, and the holder whether it still has it. */
const everyMs = 1_000;
/** A holder that gets no answer for so long schedules no more. */
const answerTimeoutMs = 5_000;
/** How Postgres finds that a machine is gone: 10 s of silence, then three probes 5 s apart. */
const keepalives = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
};

/**
 * Runs a scheduler while this process has the lease.
 *
 * @param startScheduler called each time the lease is taken; what it starts is stopped when it is lost.
 */
export function scheduleUnderLease(
  databaseUrl: string,
  startScheduler: () => Scheduler,
  log: Log,
): Scheduler {
  const stopping = new AbortController();
  const connection = new PrimaryConnection(databaseUrl, {
    connect_timeout: 5,
    connection: { application_name: "messaging scheduler", ...keepalives },
  });
  let running: Scheduler | null = null;
  let session: Sql | null = null;
  const look = async (): Promise<void> => {
    const answer = await askForLease(connection, session);
    if (answer !== null && answer === session) return;
    session = answer;
    if (running !== null) {
      log.error("scheduler_lease_ended", {});
      // Its runs end by themselves.
      running.stop().catch(() => {});
      running = null;
    }
    if (session === null) return;
    log.info("scheduler_lease_acquired", {});
    running = startScheduler();
  };
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await look().catch((error) => log.error("scheduler_lease_failed", describeDefect(error)));
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const watching = watch();
  return {
    stop: async () => {
      stopping.abort();
      await watching;
      await running?.stop();
      await connection.close();
    },
  };
}

/**
 * @param session the one that has the lease.
 * @returns the session that has it now; null when another process has it or Postgres does not answer.
 */
async function askForLease(
  connection: PrimaryConnection,
  session: Sql | null,
): Promise<Sql | null> {
  const asking = connection.use(async (sql) => {
    const answered = sql === session ? keepLease(sql) : takeLease(sql);
    const isHeld = await withTimeout(answered, answerTimeoutMs);
    if (isHeld === null) connection.giveUp(sql);
    return isHeld === true ? sql : null;
  });
  return await asking.catch(() => null);
}

/** A client has one session, so that one which answers still has its locks. */
async function keepLease(sql: Sql): Promise<boolean> {
  await sql`select 1`;
  return true;
}

async function takeLease(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ isHeld: boolean }[]>`
    select pg_catalog.pg_try_advisory_lock(pg_catalog.hashtext('messaging scheduler')) as "isHeld"`;
  return row?.isHeld === true;
}
