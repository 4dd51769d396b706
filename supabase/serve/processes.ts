/** Several processes of one port. One that dies is started again. */

import { fileURLToPath } from "node:url";
import { consoleLog } from "../../shared/runtime/log.ts";
import { StartError } from "../host/start_error.ts";
import { workArgument } from "./arguments.ts";
import { type HeartbeatListener, listenForHeartbeats } from "./heartbeats.ts";
import type { ParentWord } from "./parent_words.ts";
import { PortSharing, type SharingProcess } from "./port_sharing.ts";
import { readProcessorSeconds } from "./processor_time.ts";
import type { ServiceOptions } from "./service.ts";
import type { ServeSettings } from "./settings.ts";
import { killAfterMs } from "./stop_watchdog.ts";

const program = fileURLToPath(new URL("serve.ts", import.meta.url));
const lockFile = fileURLToPath(new URL("deno.lock", import.meta.url));

/** A process that has died sooner is started again after a pause. */
const shortLifeMs = 5_000;
const pauseMs = 1_000;
const lookEveryMs = 1_000;
/**
 * Looks in a row without a heartbeat after which another process takes connections too, and after which
 * the silent one is killed: its connections wait for it until then. Nothing that it had begun is lost.
 */
const [silentLooks, deadLooks] = [3, 10];

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
  const sharing = new PortSharing();
  const heartbeats = listenForHeartbeats();
  const workers = new Set<Worker>();
  const keep = async (): Promise<void> => {
    while (!isStopping) {
      const startedAt = performance.now();
      const worker = startWorker(options, heartbeats.port);
      workers.add(worker);
      sharing.add(worker);
      const { code, signal } = await runUntil(worker, stopping);
      workers.delete(worker);
      if (isStopping) return;
      sharing.remove(worker);
      consoleLog.error("process_died", { pid: worker.child.pid, code, signal });
      if (performance.now() - startedAt < shortLifeMs) {
        await Promise.race([stopping, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
      }
    }
  };
  const timer = setInterval(() => {
    for (const worker of workers) lookAfter(worker, heartbeats, sharing);
    sharing.look(performance.now());
  }, lookEveryMs);
  await Promise.all(Array.from({ length: options.processes }, keep));
  clearInterval(timer);
  heartbeats.close();
}

/** Counts looks, not time: after a pause of the whole machine no process has been silent. */
function lookAfter(worker: Worker, heartbeats: HeartbeatListener, sharing: PortSharing): void {
  const { pid } = worker.child;
  worker.silentLooks = heartbeats.takeBeat(pid) === false ? worker.silentLooks + 1 : 0;
  if (worker.silentLooks === silentLooks) {
    consoleLog.error("heartbeats_missed", { pid });
    sharing.substitute(worker);
  }
  if (worker.silentLooks === deadLooks) worker.kill();
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

interface Worker extends SharingProcess {
  readonly child: Deno.ChildProcess;
  /** Its standard input stays open as long as this process lives: a worker without parent stops. */
  readonly words: WritableStreamDefaultWriter<Uint8Array>;
  /** Looks in a row without a heartbeat. */
  silentLooks: number;
  /** At once, also where it is stopped. Nothing happens where it has ended. */
  kill(): void;
}

function startWorker({ processes, console }: ServiceOptions, heartbeatPort: number): Worker {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      // Deno counts a shared port among its unstable API.
      ...["run", "--quiet", "-A", "--unstable-no-legacy-abort", "--unstable-net"],
      ...[`--lock=${lockFile}`, "--frozen", program, workArgument],
      ...[`--processes=${processes}`, ...(console ? ["--console"] : [])],
      `--heartbeat-port=${heartbeatPort}`,
    ],
    stdin: "piped",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  const words = child.stdin.getWriter();
  // One that has died hears nothing.
  const tell = (word: ParentWord): void => {
    words.write(new TextEncoder().encode(`${word}\n`)).catch(() => {});
  };
  return {
    child,
    words,
    silentLooks: 0,
    kill: () => {
      try {
        child.kill("SIGKILL");
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
    },
    readProcessorSeconds: () => readProcessorSeconds(child.pid),
    listen: () => tell("listen"),
    spread: () => tell("spread"),
  };
}

/** Ends the worker when `stopping` resolves, and waits for its end. */
async function runUntil(
  { child, words }: Worker,
  stopping: Promise<void>,
): Promise<Deno.CommandStatus> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasEnded = false;
  const end = (signal: Deno.Signal): void => {
    if (!hasEnded) child.kill(signal);
  };
  stopping.then(() => {
    end("SIGTERM");
    timer = setTimeout(() => end("SIGKILL"), killAfterMs);
  });
  const status = await child.status;
  hasEnded = true;
  clearTimeout(timer);
  await words.close().catch(() => {});
  return status;
}
