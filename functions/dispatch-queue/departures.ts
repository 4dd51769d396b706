const secondMs = 1_000;

/**
 * When the calls of each instance began, by the process' monotonic clock, the oldest first: as many as it may
 * make in a second. Of this process: its runs overlap.
 */
const departuresOf = new Map<string, number[]>();

/**
 * Resolves when a message of a group may leave: at `dueAtMs` (by `performance.now()`), and never as one more
 * than `messagesPerSecond` within a second. The claim has spread the departures; where this process was busy
 * at their instants, they must not leave all at once. The call is to begin as soon as it resolves.
 *
 * @returns when it leaves, by the same clock.
 */
export async function awaitDeparture(
  instanceId: string,
  dueAtMs: number,
  messagesPerSecond: number,
): Promise<number> {
  await sleepUntil(dueAtMs);
  for (;;) {
    const departures = departuresOf.get(instanceId) ?? [];
    const freeAtMs = (departures.at(-messagesPerSecond) ?? -Infinity) + secondMs;
    const nowMs = performance.now();
    if (nowMs >= freeAtMs) {
      departuresOf.set(instanceId, [...departures, nowMs].slice(-messagesPerSecond));
      forgetOthers(instanceId);
      return nowMs;
    }
    await sleepUntil(freeAtMs);
  }
}

/** A timer may fire a little early. */
async function sleepUntil(atMs: number): Promise<void> {
  for (let leftMs = atMs - performance.now(); leftMs > 0; leftMs = atMs - performance.now()) {
    await new Promise((resolve) => setTimeout(resolve, leftMs));
  }
}

/** An instance that sends no more takes no memory, as soon as another one sends. */
function forgetOthers(instanceId: string): void {
  for (const [id, departures] of departuresOf) {
    const isOver = (departures.at(-1) ?? -Infinity) + secondMs < performance.now();
    if (id !== instanceId && isOver) departuresOf.delete(id);
  }
}
