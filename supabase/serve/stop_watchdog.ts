/** Ends a process that does not stop in time, whatever its thread is busy with. */

/** A process stops by itself within 25 s. The program that started it allows 30 s (docs/one-machine.md). */
export const killAfterMs = 28_000;

/**
 * Kills this process `graceMs` after the first signal to stop, if it still runs. The watchdog has a thread of its
 * own: a signal's listener waits for the event loop, and so for work that never gives way to it.
 */
export function startStopWatchdog(graceMs: number): void {
  const watchdog = new Worker(new URL("./stop_watchdog_thread.ts", import.meta.url), {
    type: "module",
    name: "stop watchdog",
  });
  watchdog.postMessage(graceMs);
}
