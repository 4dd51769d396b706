import { setTimeout as delay } from "node:timers/promises";

/** Runs last 10 s and start every 9.5 s, so they overlap. */
const runSeconds = 10;
const everyMs = 9_500;
const pauseAfterFailureMs = 1_000;

export interface Scheduler {
  /** Starts no more runs; waits for the current ones. */
  stop(): Promise<void>;
}

/**
 * Calls `dispatch-queue` over HTTP while the stack runs, as pg_cron and pg_net do on the platform. A run
 * tells what it has sent when it ends, so runs are short enough to follow in the log.
 */
export function startScheduler(origin: string, secretKey: string): Scheduler {
  const stopping = new AbortController();
  const runs = new Set<Promise<unknown>>();

  const pause = (ms: number): Promise<true> =>
    delay(ms, true as const, { signal: stopping.signal }).catch(() => true as const);
  const startRuns = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const run = callDispatchQueue(origin, secretKey);
      runs.add(run);
      run.finally(() => runs.delete(run));
      const hasSucceeded = await Promise.race([run, pause(everyMs)]);
      if (!hasSucceeded) await pause(pauseAfterFailureMs);
    }
  };
  const started = startRuns();
  return {
    stop: async () => {
      stopping.abort();
      await started;
      await Promise.all(runs);
    },
  };
}

/** @returns whether the run succeeded; its counts are in the function's log line. */
async function callDispatchQueue(origin: string, secretKey: string): Promise<boolean> {
  try {
    const response = await fetch(
      `${origin}/functions/v1/dispatch-queue?maxSeconds=${runSeconds}`,
      { method: "POST", headers: { apikey: secretKey } },
    );
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
