import { Semaphore } from "../../runtime/semaphore.ts";

/**
 * Calls that one process makes to one host at the same time. Far beyond it the runtime's fetch
 * serves its callers so unevenly that some wait for longer than any time-out while others are
 * answered at once, and a message whose call timed out stays in doubt.
 */
const maxCallsToHost = 250;
/** A call that has found no place by then has certainly not been made. */
const maxWaitMs = 5_000;

const hosts = new Map<string, Semaphore>();

/**
 * Takes a place for a call to the host of `url`, in turn; null when none came free in time. Whoever
 * has one calls the function that comes back once the call is over. A call that is on time, the
 * dispatcher's, waits for nobody: late it would break the pace, or be outside the window. Its runs
 * have bounds of their own.
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
