/// <reference lib="deno.worker" />
/** The watchdog's thread: see `startStopWatchdog`. It hears how long to wait, and then signals alone. */

import { consoleLog } from "../../shared/runtime/log.ts";

self.onmessage = ({ data: graceMs }: MessageEvent<number>): void => {
  const kill = (): void => {
    consoleLog.error("process_killed", { pid: Deno.pid, waitedMs: graceMs });
    Deno.kill(Deno.pid, "SIGKILL");
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => timer ??= setTimeout(kill, graceMs));
  }
};
