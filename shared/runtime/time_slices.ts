/** Work on long lists, in slices between which the process does what others wait for. */

/** Longest slice, in milliseconds: what a request adds to the answer of every other one. */
const sliceMs = 10;

/** The slices of one piece of work. */
export class TimeSlices {
  #endsAt = performance.now() + sliceMs;

  /** Whether the slice is over: then `next` is to be awaited before the work goes on. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Resolves when the process has done what waited, and begins a slice. */
  async next(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#endsAt = performance.now() + sliceMs;
  }
}

/**
 * What `work` makes of each item, in their order. Whatever a caller gives as a list is worked through by this
 * function, so that no call keeps all others waiting.
 */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const slices = new TimeSlices();
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    if (slices.isOver) await slices.next();
    results.push(work(item, index));
  }
  return results;
}
