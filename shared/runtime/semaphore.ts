/**
 * A number of places for work that goes on at the same time, taken in turn: what comes when all are
 * taken waits in line, and nobody who comes later goes first.
 */
export class Semaphore {
  #taken = 0;
  readonly #line = new Set<() => void>();

  constructor(private readonly count: number) {}

  /** Whether nobody has a place. */
  get areAllFree(): boolean {
    return this.#taken === 0;
  }

  /** Takes a place as soon as one is free; false when none was within `waitMs`. */
  async take(waitMs: number): Promise<boolean> {
    if (this.#taken >= this.count) return await this.#wait(waitMs);
    this.#taken += 1;
    return true;
  }

  /** Takes a place at once, one too many if it must be. */
  forceAcquire(): void {
    this.#taken += 1;
  }

  /** Gives a place back, to who has waited longest. */
  leave(): void {
    const [next] = this.#line;
    if (next !== undefined && this.#taken <= this.count) next();
    else this.#taken -= 1;
  }

  async #wait(waitMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const step = (): void => settle(true);
    const timer = setTimeout(() => settle(false), waitMs);
    const settle = (isMyTurn: boolean): void => {
      clearTimeout(timer);
      this.#line.delete(step);
      resolve(isMyTurn);
    };
    this.#line.add(step);
    return await promise;
  }
}
