/** A query of a log; `after` is a `seq`. */
export interface LogQuery<Entry> {
  readonly matches?: (entry: Entry) => boolean;
  readonly after?: number | undefined;
  readonly limit: number;
}

/**
 * A log of the newest `capacity` records, oldest first. Drops older ones, so memory stays bounded
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
   * Returns records in order of arrival: with `after` the first `limit` after that `seq`, else the
   * newest `limit`. `total` counts all stored records that match, before `limit` applies.
   */
  read(query: LogQuery<Entry>): { items: Entry[]; total: number } {
    const { matches = (): boolean => true, after, limit } = query;
    const found = this.#entries.filter((entry) =>
      (after === undefined || entry.seq > after) && matches(entry)
    );
    const items = after === undefined ? found.slice(-limit) : found.slice(0, limit);
    return { items, total: found.length };
  }

  /** Deletes all records and returns their number. */
  clear(): number {
    const count = this.#entries.length;
    this.#entries = [];
    return count;
  }
}
