/** Calls `dispatch-queue` over HTTP repeatedly, as cron does. */

import { secretKey } from "./function_process.ts";

export interface DispatchCron extends AsyncDisposable {
  /** Begins no more runs, as disposing does. Those under way go on in their process. */
  stop(): Promise<void>;
}

/** Every run of 22 s begins 20 s after the one before it, on the platform. */
const periodOfRun = 20 / 22;

/** Begins a run of the dispatcher. @returns false where the function or its database is unavailable. */
export async function callDispatchQueue(url: string, maxSeconds: number): Promise<boolean> {
  try {
    const response = await fetch(`${url}?maxSeconds=${maxSeconds}`, {
      method: "POST",
      headers: { apikey: secretKey },
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/**
 * Begins runs until it is stopped, each before the one before it ends. A call that fails is repeated. What
 * the runs have done is in `runs` of their process.
 */
export function startDispatchCron(url: string, maxSeconds = 5): DispatchCron {
  const stopping = Promise.withResolvers<void>();
  let isStopping = false;
  stopping.promise.then(() => isStopping = true);
  const callAll = async (): Promise<void> => {
    while (!isStopping) {
      const calledAt = performance.now();
      const hasBegun = await callDispatchQueue(url, maxSeconds);
      const dueAt = hasBegun
        ? calledAt + maxSeconds * 1_000 * periodOfRun
        : performance.now() + 100;
      await pause(dueAt - performance.now(), stopping.promise);
    }
  };
  const calling = callAll();
  const stop = async (): Promise<void> => {
    stopping.resolve();
    await calling;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

async function pause(ms: number, stopping: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.max(ms, 0));
  await Promise.race([promise, stopping]);
  clearTimeout(timer);
}
