import { Semaphore } from "../../runtime/semaphore.ts";

/**
 * Calls that one process makes to one host at the same time. Far beyond it the runtime's fetch
 * serves callers so unevenly that some wait longer than any time-out, and a message whose call
 * timed out has an unknown outcome.
 */
const maxCallsToHost = 250;
/** How long a call waits for a slot; without one it is not made. */
const maxWaitMs = 5_000;

const hosts = new Map<string, Semaphore>();

/**
 * Acquires a slot for a call to the host of `url`, in the order of the callers. Resolves to the
 * function that releases it, to be called after the call; to null on time-out.
 *
 * `bypassLimit` acquires one at once, even above the limit. The dispatcher does: a delayed call
 * would break the pacing or miss the send window, and its runs have bounds of their own.
 */
export async function acquireHostSlot(
  url: string,
  bypassLimit: boolean,
): Promise<(() => void) | null> {
  const { origin } = new URL(url);
  const permits = hosts.get(origin) ?? new Semaphore(maxCallsToHost);
  hosts.set(origin, permits);
  if (bypassLimit) permits.forceAcquire();
  else if (!await permits.acquire(maxWaitMs)) return null;
  return () => {
    permits.release();
    if (permits.isIdle) hosts.delete(origin);
  };
}
