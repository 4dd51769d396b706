import { setTimeout as delay } from "node:timers/promises";

/**
 * Runs last 12 s and start every 9.5 s: a run begins with maintenance, for up to 2 s, and until then the one
 * before it sends.
 */
const runSeconds = 12;
const everyMs = 9_500;
/**
 * As many as a run may have: no run of this process is short of processor time, and one that has had all its
 * messages makes every instance wait for the next run.
 */
const maxMessages = 100_000;
/** After a call that no run has answered. A run whose first poll failed has begun, and tries again itself. */
const pauseAfterFailureMs = 1_000;

export interface Scheduler {
  /** Starts no more runs; waits for the call under way. Runs end with the functions. */
  stop(): Promise<void>;
}

/**
 * Calls `dispatch-queue` over HTTP while the stack runs, as pg_cron and pg_net do on the platform. A run
 * tells what it has sent when it ends, so runs are short enough to follow in the log.
 */
export function startScheduler(origin: string, secretKey: string): Scheduler {
  const stopping = new AbortController();
  const pause = (ms: number): Promise<void> =>
    delay(ms, undefined, { signal: stopping.signal }).catch(() => {});
  const startRuns = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const isAnswered = await callDispatchQueue(origin, secretKey);
      await pause(isAnswered ? everyMs : pauseAfterFailureMs);
    }
  };
  const started = startRuns();
  return {
    stop: async () => {
      stopping.abort();
      await started;
    },
  };
}

/** @returns whether the function answered; what its run has done is in the function's log line. */
async function callDispatchQueue(origin: string, secretKey: string): Promise<boolean> {
  try {
    const response = await fetch(
      `${origin}/functions/v1/dispatch-queue?maxSeconds=${runSeconds}&maxMessages=${maxMessages}`,
      { method: "POST", headers: { apikey: secretKey } },
    );
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
