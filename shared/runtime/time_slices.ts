/** Work on long lists, in slices between which the process does what others wait for. */

/** Longest slice, in milliseconds: what a request adds to the answer of every other one, once or twice. */
const sliceMs = 1;

/**
 * How long the process rests after a slice, in lengths of it. An answer takes some ten turns of the process; of
 * slices that followed each other it would wait for one at each turn.
 */
const restRatio = 3;

/** When the slices that wait at present have had their turns. */
let lastTurn: Promise<void> = Promise.resolve();

/** The slices of one piece of work. All pieces together get a quarter of the process. */
export class TimeSlices {
  #beganAt = performance.now();

  /** Whether the slice is over: then `next` is to be awaited before the work goes on. */
  get isOver(): boolean {
    return performance.now() >= this.#beganAt + sliceMs;
  }

  /** Resolves when the process has rested and it is this piece's turn, and begins a slice. */
  async next(): Promise<void> {
    const restMs = (performance.now() - this.#beganAt) * restRatio;
    lastTurn = lastTurn.then(() => new Promise((resolve) => setTimeout(resolve, restMs)));
    await lastTurn;
    this.#beganAt = performance.now();
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
