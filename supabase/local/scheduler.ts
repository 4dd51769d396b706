/** How long one run of the dispatcher takes up messages, and how often one starts: they overlap. */
const runSeconds = 5;
const everyMs = 4_500;
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
  const runs = new Set<Promise<unknown>>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  const schedule = (delayMs: number): void => {
    if (!isStopped) timer = setTimeout(start, delayMs);
  };
  const start = (): void => {
    const run = callDispatchQueue(origin, secretKey);
    runs.add(run);
    run.finally(() => runs.delete(run));
    Promise.race([run, new Promise<true>((resolve) => setTimeout(() => resolve(true), everyMs))])
      .then((isWell) => schedule(isWell ? 0 : pauseAfterFailureMs));
  };
  schedule(0);
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
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
