/** Provider calls that have just begun. A run claims only as many messages as it can send at once. */
const maxQuickCalls = 50;
/**
 * All calls, those included that wait for a slow provider. As many as one process calls one host at once:
 * see `acquireHostSlot`.
 */
const maxCalls = 250;
/** A call that lasts longer gives its place among the quick ones away. */
const quickMs = 1_000;
/** Calls of one instance that have given their place away: with more it crowds out the others. */
const maxSlowCallsOfInstance = 25;

interface Call {
  readonly instanceId: string;
  readonly startedAtMs: number;
}

/**
 * The provider calls that one run has under way. A call that waits for long takes no place from the
 * others: however long one tenant's provider hangs, the messages of others leave at their time.
 */
export class CallsUnderWay {
  /** Oldest first. */
  readonly #calls = new Map<Promise<void>, Call>();

  /** How many calls can begin now. */
  room(): number {
    const slow = this.#slowCalls().length;
    return Math.min(maxQuickCalls - (this.#calls.size - slow), maxCalls - this.#calls.size);
  }

  /** The instances that have too many slow calls under way to begin another one. */
  crowding(): readonly string[] {
    const counts = new Map<string, number>();
    for (const { instanceId } of this.#slowCalls()) {
      counts.set(instanceId, (counts.get(instanceId) ?? 0) + 1);
    }
    return [...counts].filter(([, calls]) => calls >= maxSlowCallsOfInstance)
      .map(([instanceId]) => instanceId);
  }

  /** Counts a call until it ends. @param work never rejects. */
  add(instanceId: string, work: Promise<void>): void {
    this.#calls.set(work, { instanceId, startedAtMs: performance.now() });
    work.finally(() => this.#calls.delete(work));
  }

  /** Resolves when one of the calls ends. */
  async nextEnd(): Promise<void> {
    await Promise.race(this.#calls.keys());
  }

  /** Waits for all calls. */
  async finish(): Promise<void> {
    await Promise.all(this.#calls.keys());
  }

  #slowCalls(): Call[] {
    const quickSinceMs = performance.now() - quickMs;
    return [...this.#calls.values()].filter(({ startedAtMs }) => startedAtMs <= quickSinceMs);
  }
}
