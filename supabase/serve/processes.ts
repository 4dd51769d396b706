/** Several processes on one port: the system gives each new connection to one of them. */

import { fileURLToPath } from "node:url";
import { consoleLog } from "../../shared/runtime/log.ts";
import { StartError } from "../host/start_error.ts";
import { workArgument } from "./arguments.ts";
import type { ServiceOptions } from "./service.ts";
import type { ServeSettings } from "./settings.ts";

const program = fileURLToPath(new URL("serve.ts", import.meta.url));
const lockFile = fileURLToPath(new URL("deno.lock", import.meta.url));

/** A process that has died sooner is started again after a pause. */
const shortLifeMs = 5_000;
const pauseMs = 1_000;
/** A process stops by itself within 25 s. */
const killAfterMs = 28_000;

/**
 * Starts the processes, and each that dies once more, until `stopping` resolves.
 *
 * @throws {StartError} when another program listens on the port.
 */
export async function runProcesses(
  options: ServiceOptions,
  { port, hostname }: ServeSettings,
  stopping: Promise<void>,
): Promise<void> {
  refusePortInUse(port, hostname);
  let isStopping = false;
  stopping.then(() => isStopping = true);
  const keep = async (): Promise<void> => {
    while (!isStopping) {
      const startedAt = performance.now();
      const worker = startWorker(options);
      const { code, signal } = await runUntil(worker, stopping);
      if (isStopping) return;
      consoleLog.error("process_died", { pid: worker.pid, code, signal });
      if (performance.now() - startedAt < shortLifeMs) {
        await Promise.race([stopping, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
      }
    }
  };
  await Promise.all(Array.from({ length: options.processes }, keep));
}

/** The processes share the port with each other, and would share it with another service, too. */
function refusePortInUse(port: number, hostname: string): void {
  try {
    Deno.listen({ port, hostname }).close();
  } catch (cause) {
    if (!(cause instanceof Deno.errors.AddrInUse)) throw cause;
    throw new StartError(
      `Port ${port} of ${hostname} is in use. Stop that program, or set PORT to another port.`,
      { cause },
    );
  }
}

/** Its standard input stays open as long as this process lives: a worker whose parent has died stops. */
function startWorker({ processes, console }: ServiceOptions): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [
      // Deno counts a shared port among its unstable API.
      ...["run", "--quiet", "-A", "--unstable-no-legacy-abort", "--unstable-net"],
      ...[`--lock=${lockFile}`, "--frozen", program, workArgument],
      ...[`--processes=${processes}`, ...(console ? ["--console"] : [])],
    ],
    stdin: "piped",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
}

/** Ends the worker when `stopping` resolves, and waits for its end. */
async function runUntil(
  worker: Deno.ChildProcess,
  stopping: Promise<void>,
): Promise<Deno.CommandStatus> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasEnded = false;
  const end = (signal: Deno.Signal): void => {
    if (!hasEnded) worker.kill(signal);
  };
  stopping.then(() => {
    end("SIGTERM");
    timer = setTimeout(() => end("SIGKILL"), killAfterMs);
  });
  const status = await worker.status;
  hasEnded = true;
  clearTimeout(timer);
  await worker.stdin.close().catch(() => {});
  return status;
}
