/** Starts programs of a measurement in their own processes. */

import { fileURLToPath } from "node:url";
import { waitUntil } from "../support/wait_until.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** How to start a program and detect that it is ready. */
export interface ChildOptions {
  /** Arguments of `deno`. */
  readonly args: readonly string[];
  /** Where it runs. Default: the repository's root. */
  readonly folder?: string;
  readonly environment: Readonly<Record<string, string>>;
  /** URL to poll until it responds with a status below 500. */
  readonly healthUrl: string;
}

export interface Child extends AsyncDisposable {
  readonly pid: number;
}

/**
 * Starts a program and waits until it responds.
 *
 * @throws {Error} with its output, when it exits or does not respond.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const program = `deno ${options.args.join(" ")}`;
  const child = new Deno.Command(Deno.execPath(), {
    args: [...options.args],
    cwd: options.folder ?? root,
    env: { ...options.environment },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = readTail(child.stderr);
  let hasEnded = false;
  const ended = child.status.then(() => {
    hasEnded = true;
  });
  const stop = async (): Promise<void> => {
    if (!hasEnded) child.kill("SIGTERM");
    await Promise.all([ended, errors.done]);
  };
  try {
    await waitUntil(() => hasEnded || answers(options.healthUrl), {
      timeoutMs: 60_000,
      what: program,
    });
    if (hasEnded) throw new Error(`${program} has ended:\n${errors.text()}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid, [Symbol.asyncDispose]: stop };
}

/** A free port of 127.0.0.1. */
export function findFreePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => null);
  await response?.body?.cancel();
  return response !== null && response.status < 500;
}

function readTail(
  stream: ReadableStream<Uint8Array>,
): { readonly done: Promise<void>; text(): string } {
  let tail = "";
  const read = async (): Promise<void> => {
    for await (
      const text of stream.pipeThrough(
        new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>,
      )
    ) {
      tail = (tail + text).slice(-4_000);
    }
  };
  return { done: read(), text: () => tail };
}
