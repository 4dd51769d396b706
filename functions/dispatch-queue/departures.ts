const secondMs = 1_000;

/** When the last calls of each instance began. Of this process: its runs overlap. */
const departuresOf = new Map<string, Departures>();

/**
 * When the last calls of an instance began, by the process' monotonic clock: as many as it may make in a second,
 * in a ring, so that one more costs no copy of the others.
 */
class Departures {
  readonly #ring: Float64Array;
  #next = 0;
  latestMs = -Infinity;

  constructor(readonly messagesPerSecond: number) {
    this.#ring = new Float64Array(messagesPerSecond).fill(-Infinity);
  }

  /** When the oldest of them is a second ago. */
  get freeAtMs(): number {
    return (this.#ring[this.#next] ?? -Infinity) + secondMs;
  }

  add(atMs: number): void {
    this.#ring[this.#next] = atMs;
    this.#next = (this.#next + 1) % this.messagesPerSecond;
    this.latestMs = atMs;
  }

  /** The same, at another pace: the newest ones that it has room for. */
  at(messagesPerSecond: number): Departures {
    if (messagesPerSecond === this.messagesPerSecond) return this;
    const changed = new Departures(messagesPerSecond);
    const oldestFirst = [...this.#ring.subarray(this.#next), ...this.#ring.subarray(0, this.#next)];
    for (const atMs of oldestFirst.slice(-messagesPerSecond)) changed.add(atMs);
    return changed;
  }
}

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
    const departures = (departuresOf.get(instanceId) ?? new Departures(messagesPerSecond))
      .at(messagesPerSecond);
    departuresOf.set(instanceId, departures);
    const nowMs = performance.now();
    if (nowMs >= departures.freeAtMs) {
      departures.add(nowMs);
      forgetOthers(instanceId);
      return nowMs;
    }
    await sleepUntil(departures.freeAtMs);
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
    const isOver = departures.latestMs + secondMs < performance.now();
    if (id !== instanceId && isOver) departuresOf.delete(id);
  }
}
