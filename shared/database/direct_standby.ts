import type postgres from "postgres";
import { Semaphore } from "../runtime/semaphore.ts";
import { withTimeout } from "../runtime/time_limit.ts";
import { callTimeoutMs } from "./database.ts";
import { callFunction, isAnswer, openConnection, readText } from "./direct_connection.ts";
import { RecentConnections } from "./recent_connections.ts";
import type { RpcName } from "./rpcs.ts";
import { toDatabaseError } from "./sqlstates.ts";
import type { Standby, StandbyAnswer, StandbyPosition } from "./standby_reads.ts";

/** Connections of one process to the standby. Further reads wait for one, a second at most. */
const maxConnections = 20;
const permitTimeoutMs = 1_000;
/** A standby says within this time where it is, its connection included, or counts as lost. */
const answerTimeoutMs = 1_000;
/** Pauses before the standby is asked once more whether it has replayed far enough: 78 ms in all. */
const replayPausesMs: readonly number[] = [2, 4, 8, 16, 48];
/** How long closing waits for reads in progress, in seconds; and for one whose caller has given up. */
const closeTimeoutSeconds = 5;
const silentTimeoutSeconds = 9;

/**
 * Opens a standby for reads. The name may lead to several, and each connection to another one: every read asks
 * where its own server is.
 */
export function openStandby(readUrl: string): Standby {
  const permits = new Semaphore(maxConnections);
  const connections = new RecentConnections(openConnection, {
    ...{ silentTimeoutSeconds, closeTimeoutSeconds },
  });
  return {
    async read(name, request, position): Promise<StandbyAnswer> {
      if (!await permits.acquire(permitTimeoutMs)) return { failure: "busy" };
      try {
        return await readOnce(connections, readUrl, { name, request, position });
      } finally {
        permits.release();
      }
    },
    close: () => connections.close(),
  };
}

interface Read {
  readonly name: RpcName;
  readonly request: object;
  readonly position: StandbyPosition;
}

async function readOnce(
  connections: RecentConnections,
  readUrl: string,
  read: Read,
): Promise<StandbyAnswer> {
  const connection = connections.take(readUrl);
  if (connection === null) return { failure: "lost" };
  try {
    const answer = await readReplayed(connection, read);
    if (answer === null) {
      connections.discardSilent(connection);
      return { failure: "lost" };
    }
    connections.putBack(connection);
    return answer;
  } catch (error) {
    const code = readText(error, "code") ?? "";
    if (!isAnswer(error)) {
      connections.discardBroken(connection);
      return { failure: "lost" };
    }
    connections.putBack(connection);
    // Ours, raised by what the function has read. Everything else (the replay cancels readers that are in its way;
    // the function would write; it is not there yet) the primary may do better.
    if (code.startsWith("MI")) throw toDatabaseError(read.name, code, readText(error, "detail"));
    return { failure: "failed" };
  }
}

/**
 * Reads where the standby has replayed far enough. The question goes out with the read: one round trip, and two
 * statements, whose snapshots are of their own. Null where it does not answer in time.
 */
async function readReplayed(
  connection: postgres.Sql,
  { name, request, position }: Read,
): Promise<StandbyAnswer | null> {
  for (const pauseMs of [0, ...replayPausesMs]) {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const asked = send(callFunction(connection, "has_replayed", position));
    // Once it was behind, the read is not made in vain again.
    const early = pauseMs === 0 ? send(callFunction(connection, name, request)) : null;
    const replayed = await withTimeout(asked, answerTimeoutMs);
    if (replayed === null) return null;
    if (replayed[0]?.["result"] !== true) {
      await early?.catch(() => {});
      continue;
    }
    const rows = await withTimeout(early ?? callFunction(connection, name, request), callTimeoutMs);
    return rows === null ? null : { result: rows[0]?.["result"] };
  }
  return { failure: "behind" };
}

/**
 * Sends a query now: the driver sends it when its answer is first waited for, so what is waited for first would
 * overtake it. Its failure stays that of the query.
 */
function send<Answer>(query: Promise<Answer>): Promise<Answer> {
  query.catch(() => {});
  return query;
}
