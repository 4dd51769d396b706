import { setTimeout as delay } from "node:timers/promises";

/** How long one run of the dispatcher takes up messages, and how often one starts: they overlap. */
const runSeconds = 2;
const everyMs = 1_600;
const pauseAfterFailureMs = 1_000;

export interface Scheduler {
  /** Starts no more runs; waits for those under way. */
  stop(): Promise<void>;
}

/**
 * Calls `dispatch-queue` over HTTP for as long as the stack runs, as pg_cron and pg_net do on the
 * platform, only more often: there a run may last a minute, here Ctrl-C waits for it.
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
      const isWell = await Promise.race([run, pause(everyMs)]);
      if (!isWell) await pause(pauseAfterFailureMs);
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

/** Whether the run went well; its outcome is in the function's own log line. */
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
