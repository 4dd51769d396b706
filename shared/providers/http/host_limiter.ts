import { FairSemaphore } from "../../runtime/fair_semaphore.ts";

/**
 * The most concurrent calls that one process makes to one host. Far above this number the runtime's
 * fetch serves callers so unevenly that some wait longer than any time-out, and a message whose
 * call timed out has an unknown outcome.
 */
const maxCallsToHost = 250;
/** How long a call waits for a slot. A call without a slot is not made. */
const maxWaitMs = 5_000;

const hosts = new Map<string, FairSemaphore>();

/** Whose slot a call takes, and how. */
export interface SlotRequest {
  /** The instance for which the call is made. Instances share a host's slots: see `FairSemaphore`. */
  readonly instanceId: string;
  /**
   * Acquires a slot immediately, even above the limit. The dispatcher uses this, because a delayed call
   * would break the pacing or miss the send window. Its runs have bounds of their own.
   */
  readonly bypassLimit?: boolean | undefined;
}

/**
 * Acquires a slot for a call to the host of `url`. Many instances call one host (graph.facebook.com,
 * api.z-api.io, a gateway of several tenants), so an instance whose calls hang must leave slots to the others.
 * Resolves to the function that releases the slot after the call; to null on time-out.
 */
export async function acquireHostSlot(
  url: string,
  { instanceId, bypassLimit = false }: SlotRequest,
): Promise<(() => void) | null> {
  const { origin } = new URL(url);
  const permits = hosts.get(origin) ?? new FairSemaphore(maxCallsToHost);
  hosts.set(origin, permits);
  const release = bypassLimit
    ? permits.forceAcquire(instanceId)
    : await permits.acquire(instanceId, maxWaitMs);
  if (release === null) return null;
  return () => {
    release();
    if (permits.isIdle) hosts.delete(origin);
  };
}
