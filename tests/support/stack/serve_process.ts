/** Runs `deno task serve` in its own process, as on a machine of production. */

import { fileURLToPath } from "node:url";
import { findFreePort } from "../free_port.ts";
import { waitUntil } from "../wait_until.ts";
import { environment as functionEnvironment } from "./function_process.ts";
import { readTaskArguments } from "./task_arguments.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface ServeOptions {
  readonly args?: readonly string[];
  /** Default: a free port. */
  readonly port?: number;
  /** A module that the process runs before its own. */
  readonly preload?: string;
  /** Replaces or, with an empty value, takes away variables of a complete environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The process; it may still be starting or have ended. */
export interface ServeProcess extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  readonly pid: number;
  /** Its output so far. */
  output(): string;
  /** The lines of its log so far that are about this event. */
  logged(event: string): Record<string, unknown>[];
  signal(signal: Deno.Signal): void;
  /** Resolves to the exit code once it has ended and its output is read. */
  ended(): Promise<number>;
  /** Resolves when it is ready. @throws {Error} with its output, when it ends instead. */
  ready(): Promise<void>;
}

/** Starts the process without waiting. Disposing stops it as a service manager does. */
export function spawnServe(options: ServeOptions): ServeProcess {
  const port = options.port ?? findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const [run = "run", ...task] = readTaskArguments(root, "serve");
  const preload = options.preload === undefined ? [] : [`--preload=${options.preload}`];
  const child = new Deno.Command(Deno.execPath(), {
    args: [run, ...preload, ...task, ...options.args ?? []],
    cwd: root,
    env: {
      ...functionEnvironment,
      NO_COLOR: "1",
      PORT: `${port}`,
      FUNCTIONS_URL: `${origin}/functions/v1`,
      MEDIA_FOLDER: "/nonexistent",
      ...options.environment,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  });
  let isOver = false;
  const ended = Promise.all([child.status, ...reading]).then(([{ code }]) => {
    isOver = true;
    return code;
  });
  const signal: ServeProcess["signal"] = (name) => {
    if (!isOver) child.kill(name);
  };
  return {
    origin,
    port,
    pid: child.pid,
    output: () => text,
    logged: (event) => readLog(text).filter((line) => line["event"] === event),
    signal,
    ended: () => ended,
    ready: async () => {
      await waitUntil(async () => {
        if (isOver) return true;
        const response = await fetch(`${origin}/health`);
        await response.body?.cancel();
        return response.ok;
      }, { timeoutMs: 180_000, intervalMs: 50, what: "a ready service" });
      if (isOver) throw new Error(`the service ended:\n${text}`);
    },
    [Symbol.asyncDispose]: async () => {
      signal("SIGTERM");
      const timer = setTimeout(() => signal("SIGKILL"), 120_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Starts the process and waits until it is ready. */
export async function startServe(options: ServeOptions): Promise<ServeProcess> {
  const service = spawnServe(options);
  try {
    await service.ready();
    return service;
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
}

function readLog(text: string): Record<string, unknown>[] {
  return text.split("\n").filter((line) => line.startsWith("{")).flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}
