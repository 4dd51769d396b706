/** The part of all permits that an owner may always have: none is refused it because of another one. */
const guaranteedPart = 1 / 5;

/**
 * How many more permits an owner may have that holds `held` of `permits`, while `free` are left: always up to
 * a fifth of all, and beyond it only as long as it leaves as many free as it holds. So an owner that is alone
 * gets half of them, and the next one finds the other half.
 */
export function countRoom(held: number, free: number, permits: number): number {
  const room = Math.max(permits * guaranteedPart - held, (free - held) / 2);
  return Math.max(Math.min(Math.ceil(room), free), 0);
}

/**
 * Limits how many callers work at the same time, and shares the permits out among owners (see
 * `countRoom`). Owners that wait take turns, each with its own callers in their order, so that a long
 * queue of one owner delays no other.
 */
export class FairSemaphore {
  #acquired = 0;
  readonly #held = new Map<string, number>();
  /** The owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<() => void>>();

  /** @param permits how many callers may hold a permit at the same time. */
  constructor(private readonly permits: number) {}

  /** Whether no permit is held. */
  get isIdle(): boolean {
    return this.#held.size === 0;
  }

  /**
   * Acquires a permit from the share of `owner`, waiting for at most `waitMs`.
   *
   * @returns releases the permit, to be called once; null on time-out.
   */
  async acquire(owner: string, waitMs: number): Promise<(() => void) | null> {
    const waits = this.#waiting.has(owner) || !this.#mayGrant(owner);
    if (waits && !await this.#wait(owner, waitMs)) return null;
    if (!waits) this.#take(owner);
    return () => this.#release(owner, true);
  }

  /**
   * Acquires a permit at once, even above the limit. What an owner forces beyond its fifth takes nothing from
   * the others: it does not count among all permits.
   *
   * @returns releases the permit, to be called once.
   */
  forceAcquire(owner: string): () => void {
    const held = this.#held.get(owner) ?? 0;
    const counts = held < this.permits * guaranteedPart;
    this.#held.set(owner, held + 1);
    if (counts) this.#acquired += 1;
    return () => this.#release(owner, counts);
  }

  #mayGrant(owner: string): boolean {
    const held = this.#held.get(owner) ?? 0;
    return countRoom(held, this.permits - this.#acquired, this.permits) > 0;
  }

  #take(owner: string): void {
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
    this.#acquired += 1;
  }

  #release(owner: string, counts: boolean): void {
    const held = (this.#held.get(owner) ?? 0) - 1;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
    if (counts) this.#acquired -= 1;
    while (this.#grantNext());
  }

  /** Grants a permit to the owner whose turn it is of those that may have one. @returns false for none. */
  #grantNext(): boolean {
    for (const [owner, callers] of this.#waiting) {
      const [grant] = callers;
      if (grant === undefined || !this.#mayGrant(owner)) continue;
      this.#take(owner);
      grant();
      // Its next turn comes after the others'.
      if (this.#waiting.delete(owner) && callers.size > 0) this.#waiting.set(owner, callers);
      return true;
    }
    return false;
  }

  async #wait(owner: string, waitMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const callers = this.#waiting.get(owner) ?? new Set();
    this.#waiting.set(owner, callers);
    const grant = (): void => settle(true);
    const timer = setTimeout(() => settle(false), waitMs);
    const settle = (isGranted: boolean): void => {
      clearTimeout(timer);
      callers.delete(grant);
      if (callers.size === 0) this.#waiting.delete(owner);
      resolve(isGranted);
    };
    callers.add(grant);
    return await promise;
  }
}
