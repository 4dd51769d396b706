/** Work on long lists, in slices between which the process does what others wait for. */

/** Longest slice, in milliseconds: what a request adds to the answer of every other one, once or twice. */
const sliceMs = 1;

/**
 * How long the process rests after a slice, in lengths of it. An answer takes some ten turns of the process; of
 * slices that followed each other it would wait for one at each turn.
 */
const restRatio = 3;

/** A piece of work that waits for its turn. */
interface Waiting {
  readonly restMs: number;
  readonly begin: () => void;
}

/** What waits, by its owner. The owner whose turn is next comes first. */
const waiting = new Map<string, Waiting[]>();
let isRunning = false;

/** Gives the owners that wait a slice in turn, so that one owner's pieces, however many, delay no other's. */
async function takeTurns(): Promise<void> {
  isRunning = true;
  for (const [owner, pieces] of waiting) {
    const { restMs, begin } = pieces.shift()!;
    // An entry that is set anew is visited again, after all others.
    waiting.delete(owner);
    if (pieces.length > 0) waiting.set(owner, pieces);
    await new Promise((resolve) => setTimeout(resolve, restMs));
    begin();
  }
  isRunning = false;
}

/** The slices of one piece of work. All pieces together get a quarter of the process. */
export class TimeSlices {
  #beganAt = performance.now();

  /** @param owner whose work it is: an instance, or empty for what is no instance's. */
  constructor(private readonly owner: string) {}

  /** Whether the slice is over: then `next` is to be awaited before the work goes on. */
  get isOver(): boolean {
    return performance.now() >= this.#beganAt + sliceMs;
  }

  /** Resolves when the process has rested and it is this piece's turn, and begins a slice. */
  async next(): Promise<void> {
    const restMs = (performance.now() - this.#beganAt) * restRatio;
    const { promise, resolve: begin } = Promise.withResolvers<void>();
    const pieces = waiting.get(this.owner);
    if (pieces === undefined) waiting.set(this.owner, [{ restMs, begin }]);
    else pieces.push({ restMs, begin });
    if (!isRunning) void takeTurns();
    await promise;
    this.#beganAt = performance.now();
  }
}

/**
 * What `work` makes of each item, in their order. Whatever a caller gives as a list is worked through by this
 * function, so that no call keeps all others waiting.
 *
 * @param owner as of `TimeSlices`.
 */
export async function mapInSlices<Item, Result>(
  owner: string,
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const slices = new TimeSlices(owner);
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    if (slices.isOver) await slices.next();
    results.push(work(item, index));
  }
  return results;
}
