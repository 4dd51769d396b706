/** Calls `dispatch-queue` over HTTP repeatedly, as cron does. */

import { secretKey } from "./function_process.ts";

/** Response of a run. */
export interface DispatchAnswer {
  readonly accepted: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly outboxRows: number;
  readonly expiredClaims: number;
  readonly woken: number;
}

export interface DispatchCron extends AsyncDisposable {
  /** Responses of completed runs. */
  readonly answers: readonly DispatchAnswer[];
  /** Starts no more runs and waits for the current one, as disposing does. */
  stop(): Promise<void>;
}

/** Calls the dispatcher once. @returns null where the function or its database is unavailable. */
export async function callDispatchQueue(
  url: string,
  maxSeconds: number,
): Promise<DispatchAnswer | null> {
  try {
    const response = await fetch(`${url}?maxSeconds=${maxSeconds}`, {
      method: "POST",
      headers: { apikey: secretKey },
    });
    const text = await response.text();
    return response.ok ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** Starts runs one after the other until it is stopped. Failed runs are repeated. */
export function startDispatchCron(url: string, maxSeconds = 5): DispatchCron {
  const answers: DispatchAnswer[] = [];
  const stopping = Promise.withResolvers<void>();
  let isStopping = false;
  stopping.promise.then(() => isStopping = true);
  const run = async (): Promise<void> => {
    while (!isStopping) {
      const answer = await callDispatchQueue(url, maxSeconds);
      if (answer !== null) answers.push(answer);
      else await pause(stopping.promise);
    }
  };
  const running = run();
  const stop = async (): Promise<void> => {
    stopping.resolve();
    await running;
  };
  return { answers, stop, [Symbol.asyncDispose]: stop };
}

async function pause(stopping: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, 100);
  await Promise.race([promise, stopping]);
  clearTimeout(timer);
}
