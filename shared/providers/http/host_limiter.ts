import { Semaphore } from "../../runtime/semaphore.ts";

/**
 * The most concurrent calls that one process makes to one host. Far above this number the runtime's
 * fetch serves callers so unevenly that some wait longer than any time-out, and a message whose
 * call timed out has an unknown outcome.
 */
const maxCallsToHost = 250;
/** How long a call waits for a slot. A call without a slot is not made. */
const maxWaitMs = 5_000;

const hosts = new Map<string, Semaphore>();

/**
 * Acquires a slot for a call to the host of `url`, first come, first served. Resolves to the
 * function that releases the slot after the call; to null on time-out.
 *
 * With `bypassLimit` it acquires a slot immediately, even above the limit. The dispatcher uses
 * this, because a delayed call would break the pacing or miss the send window. Its runs have bounds
 * of their own.
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
