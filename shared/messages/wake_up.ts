/**
 * Longest sleep of a dispatcher run between two polls of the queue, in milliseconds. A message that
 * another process queues as due sooner may leave this much later.
 */
export const maxSleepMs = 200;

/** The dispatcher runs of this process. */
const runs = new Set<() => void>();

/**
 * Lets every dispatcher run of this process poll the queue now. It only saves time: runs of other
 * processes, as on the platform, find the message with their next poll.
 */
export function wakeDispatcher(): void {
  for (const wake of runs) wake();
}

/**
 * Wakes the dispatcher where a queued message is due before a sleeping run would poll again.
 *
 * @param scheduledFor the message's slot as the database gave it; null for no message.
 */
export function wakeDispatcherFor(scheduledFor: string | null): void {
  if (scheduledFor === null) return;
  if (Date.parse(scheduledFor) - Date.now() <= maxSleepMs) wakeDispatcher();
}

/**
 * Calls `wake` whenever the dispatcher should poll the queue.
 *
 * @returns ends that.
 */
export function onWakeUp(wake: () => void): () => void {
  runs.add(wake);
  return () => runs.delete(wake);
}
