/** Which records of a log to read; `after` is a `seq`. */
export interface LogQuery<Entry> {
  readonly matches?: (entry: Entry) => boolean;
  readonly after?: number | undefined;
  readonly limit: number;
}

/**
 * The newest `capacity` records, oldest first. Older ones are forgotten, so memory stays bounded
 * however long the stack runs.
 */
export class BoundedLog<Entry extends { readonly seq: number }> {
  #entries: Entry[] = [];

  constructor(readonly capacity: number) {}

  add(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#entries.length > this.capacity) this.#entries.shift();
  }

  /**
   * Records in the order of their arrival: with `after` the first `limit` behind that `seq`, else
   * the newest `limit`. `total` counts all kept records that match, before `limit` is applied.
   */
  read(query: LogQuery<Entry>): { items: Entry[]; total: number } {
    const { matches = (): boolean => true, after, limit } = query;
    const found = this.#entries.filter((entry) =>
      (after === undefined || entry.seq > after) && matches(entry)
    );
    const items = after === undefined ? found.slice(-limit) : found.slice(0, limit);
    return { items, total: found.length };
  }

  /** Forgets everything; answers how many records that were. */
  clear(): number {
    const count = this.#entries.length;
    this.#entries = [];
    return count;
  }
}
