import { describeDefect, type Log } from "../../shared/runtime/log.ts";

/**
 * Logs uncaught errors and rejections instead of ending the process. The Postgres driver can throw
 * uncaught when its server closes a connection; that must not end all other requests.
 */
export function logUncaughtErrors(log: Log): void {
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log.error("error_unhandled", describeDefect(event.error));
  });
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log.error("rejection_unhandled", describeDefect(event.reason));
  });
}
