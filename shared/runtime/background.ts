import { describeDefect, type Log } from "./log.ts";

/** Starts work that the answer does not wait for. */
export type RunAfterResponse = (task: () => Promise<unknown>) => void;

interface EdgeRuntime {
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Work after the answer: the hosted runtime keeps the isolate alive for it, elsewhere the process
 * lives on anyway. It only ever hurries what is stored already, so losing it loses nothing.
 */
export function createBackground(log: Log): RunAfterResponse {
  return (task) => {
    const promise = task().catch((error: unknown) => {
      log.error("background_task_failed", describeDefect(error));
    });
    const runtime = (globalThis as { EdgeRuntime?: EdgeRuntime }).EdgeRuntime;
    try {
      runtime?.waitUntil(promise);
    } catch (error) {
      // The work is under way, and the answer stands: what it hurries is stored.
      log.error("wait_until_failed", describeDefect(error));
    }
  };
}
