/** How many readers of one token may wait at a time: each looks at the database up to 100 times a second. */
const maxWaiting = 10;

export interface WaitingReader {
  readonly tokenId: string;
  /** How long it asks to wait. */
  readonly waitMs: number;
}

/** Bounds how many readers of one token wait in this process. Further ones are read for at once. */
export class WaitingReaders {
  readonly #byToken = new Map<string, number>();

  /** Calls `read` with the time that the reader may wait: the time it asks for, or none. */
  async read<Page>(
    { tokenId, waitMs }: WaitingReader,
    read: (waitMs: number) => Promise<Page>,
  ): Promise<Page> {
    const waiting = this.#byToken.get(tokenId) ?? 0;
    if (waitMs === 0 || waiting >= maxWaiting) return await read(0);
    this.#byToken.set(tokenId, waiting + 1);
    try {
      return await read(waitMs);
    } finally {
      this.#leave(tokenId);
    }
  }

  #leave(tokenId: string): void {
    const left = (this.#byToken.get(tokenId) ?? 0) - 1;
    if (left > 0) this.#byToken.set(tokenId, left);
    else this.#byToken.delete(tokenId);
  }
}
