import { describeDefect, type Log } from "./log.ts";

/** Starts work that the response does not wait for. */
export type RunAfterResponse = (task: () => Promise<unknown>) => void;

interface EdgeRuntime {
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Runs tasks after the response. The hosted runtime keeps the isolate alive for them; elsewhere the
 * process stays alive anyway. A task only speeds up work that is stored already, so a lost task loses
 * no work.
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
      // The task has started and its work is stored, so the response stands.
      log.error("wait_until_failed", describeDefect(error));
    }
  };
}
