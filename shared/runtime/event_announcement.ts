/** The dispatcher runs of this process that have webhooks to send to. */
const listeners = new Set<() => void>();

/**
 * Tells this process' dispatcher that events were recorded, or are to be sent again. It only saves
 * time: the dispatcher of another process, as on the platform, finds them with its next poll.
 */
export function announceEvents(): void {
  for (const listener of listeners) listener();
}

/**
 * Calls `listener` whenever events were recorded in this process.
 *
 * @returns ends that.
 */
export function onEventsAnnounced(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
