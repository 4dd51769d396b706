/** A call that lasts longer gives its place among the quick ones away. */
const quickMs = 1_000;

/** How many calls may be under way at once. */
export interface CallBounds {
  /** Calls that have just begun. A run claims only as much as it can begin at once. */
  readonly quick: number;
  /** All calls, those included that wait for something slow. */
  readonly all: number;
  /** Calls of one instance that have given their place away: with more it crowds out the others. */
  readonly slowOfInstance: number;
}

interface Call {
  readonly instanceId: string;
  readonly startedAtMs: number;
}

/**
 * The calls of one kind that one run has under way. A call that waits for long takes no place from the
 * others: however long one tenant's provider hangs, the work of others is done at its time.
 */
export class CallsUnderWay {
  /** Oldest first. */
  readonly #calls = new Map<Promise<void>, Call>();

  constructor(private readonly bounds: CallBounds) {}

  /** How many calls can begin now. */
  room(): number {
    const slow = this.#slowCalls().length;
    const { quick, all } = this.bounds;
    return Math.min(quick - (this.#calls.size - slow), all - this.#calls.size);
  }

  /** The instances that have too many slow calls under way to begin another one; undefined for none. */
  crowding(): readonly string[] | undefined {
    const counts = new Map<string, number>();
    for (const { instanceId } of this.#slowCalls()) {
      counts.set(instanceId, (counts.get(instanceId) ?? 0) + 1);
    }
    const crowding = [...counts].filter(([, calls]) => calls >= this.bounds.slowOfInstance);
    return crowding.length === 0 ? undefined : crowding.map(([instanceId]) => instanceId);
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

  /** Waits for all calls, those included that they begin. */
  async finish(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all(this.#calls.keys());
  }

  #slowCalls(): Call[] {
    const quickSinceMs = performance.now() - quickMs;
    return [...this.#calls.values()].filter(({ startedAtMs }) => startedAtMs <= quickSinceMs);
  }
}
