/** Finds the local stack, and waits while it starts. */
import { setTimeout as delay } from "node:timers/promises";
import { readRunningStack } from "../local/running_stack.ts";
import { defaultPort, originOf } from "../local/settings.ts";

/** A first start downloads Postgres. */
const startTimeoutMs = 300_000;
const pollMs = 300;

/**
 * Origin of the local stack: of the one that runs on the data folder, whatever its port, else of
 * `PORT`.
 */
export async function findLocalStack(
  dataDir: string,
  port: string | undefined,
): Promise<string> {
  return await readRunningStack(dataDir) ?? originOf(Number(port || defaultPort));
}

/**
 * Resolves once the stack is ready. Resolves at once where nothing answers, too: the call that follows
 * reports it.
 *
 * @param say called once, if it has to wait.
 */
export async function untilStarted(origin: string, say: (sentence: string) => void): Promise<void> {
  const until = Date.now() + startTimeoutMs;
  for (let hasSaid = false; Date.now() < until; hasSaid = true) {
    if (!await isStarting(origin)) return;
    if (!hasSaid) say(`The local stack at ${origin} is not ready yet. Waiting for it.\n`);
    await delay(pollMs);
  }
}

async function isStarting(origin: string): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/health`);
    const answer: unknown = await response.json().catch(() => null);
    return response.status === 503 &&
      (answer as { readonly status?: unknown } | null)?.status === "not_ready";
  } catch {
    return false;
  }
}
