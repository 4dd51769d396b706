import { describeDefect, type Log } from "../../shared/runtime/log.ts";

/**
 * Logs what nobody caught, instead of ending the process: a driver that trips over a connection its
 * server has cut off must not take all other requests with it.
 */
export function surviveUncaughtErrors(log: Log): void {
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log.error("error_unhandled", describeDefect(event.error));
  });
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log.error("rejection_unhandled", describeDefect(event.reason));
  });
}
