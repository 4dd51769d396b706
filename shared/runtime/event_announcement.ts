/** What this process wakes when events were recorded: dispatcher runs and waiting readers of the feed. */
const listeners = new Set<() => void>();

/**
 * Tells this process that events were recorded, or are to be sent again. It only saves time: other
 * processes, as on the platform, find them with their next poll.
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

/** Bounds of the time between two looks for new events, in milliseconds. */
export interface LookBounds {
  /** With an announcement. Events that are recorded close together share a look. */
  readonly leastMs: number;
  /** Without one. */
  readonly mostMs: number;
}

/**
 * Decides when to look for new events again. An announcement does not say whose events were recorded,
 * so a look that finds none doubles the least time to the next one: someone whom none of a busy
 * process' events concern looks as rarely as without announcements.
 */
export class LookPace {
  #leastMs: number;
  #lookedAtMs = -Infinity;

  constructor(private readonly bounds: LookBounds) {
    this.#leastMs = bounds.leastMs;
  }

  /** The least time between two looks now. */
  get leastMs(): number {
    return this.#leastMs;
  }

  /** Time to the next look; not above 0 where it may begin. */
  waitMs(): number {
    return this.#lookedAtMs + this.#leastMs - performance.now();
  }

  /** Notes that a look begins. */
  begin(): void {
    this.#lookedAtMs = performance.now();
  }

  /** Notes what a look has found. */
  note(hasFound: boolean): void {
    const { leastMs, mostMs } = this.bounds;
    this.#leastMs = hasFound ? leastMs : Math.min(this.#leastMs * 2, mostMs);
  }
}
