/** Provider calls that have just begun. A run claims only as many messages as it can send at once. */
const maxQuickCalls = 50;
/**
 * All calls, those included that wait for a slow provider. As many as one process calls one host at once:
 * see `acquireHostSlot`.
 */
const maxCalls = 250;
/** A call that lasts longer gives its place among the quick ones away. */
const quickMs = 1_000;

/**
 * The provider calls that one run has under way. A call that waits for long takes no place from the
 * others: however long one tenant's provider hangs, the messages of others leave at their time.
 */
export class CallsUnderWay {
  /** With the time of its begin, oldest first. */
  readonly #calls = new Map<Promise<void>, number>();

  /** How many calls can begin now. */
  room(): number {
    const quickSinceMs = performance.now() - quickMs;
    let quick = 0;
    for (const startedAtMs of this.#calls.values()) if (startedAtMs > quickSinceMs) quick += 1;
    return Math.min(maxQuickCalls - quick, maxCalls - this.#calls.size);
  }

  /** Counts a call until it ends. @param call never rejects. */
  add(call: Promise<void>): void {
    this.#calls.set(call, performance.now());
    call.finally(() => this.#calls.delete(call));
  }

  /** Resolves when one of the calls ends. */
  async nextEnd(): Promise<void> {
    await Promise.race(this.#calls.keys());
  }

  /** Waits for all calls. */
  async finish(): Promise<void> {
    await Promise.all(this.#calls.keys());
  }
}
