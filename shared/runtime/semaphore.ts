/**
 * Limits how many callers work at the same time. Permits are granted in the order in which callers
 * asked for them.
 */
export class Semaphore {
  #acquired = 0;
  readonly #waiting = new Set<() => void>();

  /** @param permits how many callers may hold a permit at the same time. */
  constructor(private readonly permits: number) {}

  /** Whether no permit is held. */
  get isIdle(): boolean {
    return this.#acquired === 0;
  }

  /** Acquires a permit, waiting for at most `waitMs`. @returns false on time-out. */
  async acquire(waitMs: number): Promise<boolean> {
    if (this.#acquired >= this.permits) return await this.#wait(waitMs);
    this.#acquired += 1;
    return true;
  }

  /** Acquires a permit at once, even above the limit. */
  forceAcquire(): void {
    this.#acquired += 1;
  }

  /** Releases a permit to the caller that has waited longest. */
  release(): void {
    const [next] = this.#waiting;
    if (next !== undefined && this.#acquired <= this.permits) next();
    else this.#acquired -= 1;
  }

  async #wait(waitMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const grant = (): void => settle(true);
    const timer = setTimeout(() => settle(false), waitMs);
    const settle = (isGranted: boolean): void => {
      clearTimeout(timer);
      this.#waiting.delete(grant);
      resolve(isGranted);
    };
    this.#waiting.add(grant);
    return await promise;
  }
}
