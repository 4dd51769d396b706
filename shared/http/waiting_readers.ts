import { AppError } from "../model/errors.ts";

/** How many readers of one token may wait at a time: each looks at the database up to 100 times a second. */
const maxWaiting = 10;

/** Seconds after which a further reader may ask again: half of the longest wait, so that one has ended. */
const retryAfterSeconds = 10;

export interface WaitingReader {
  readonly tokenId: string;
  /** How long it asks to wait. */
  readonly waitMs: number;
}

/** Bounds how many readers of one token wait in this process. */
export class WaitingReaders {
  readonly #byToken = new Map<string, number>();

  /**
   * Calls `read` with the time that the reader may wait: the time it asks for, or none where too many wait.
   *
   * @throws {AppError} `rate_limited` with `Retry-After` where too many wait and there is nothing to read: an
   * empty answer at once would be asked for again at once.
   */
  async read<Found>(
    { tokenId, waitMs }: WaitingReader,
    read: (waitMs: number) => Promise<Found>,
    isEmpty: (found: Found) => boolean,
  ): Promise<Found> {
    if (waitMs === 0) return await read(0);
    const waiting = this.#byToken.get(tokenId) ?? 0;
    if (waiting >= maxWaiting) {
      const found = await read(0);
      if (isEmpty(found)) throw refuseWaiting();
      return found;
    }
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

function refuseWaiting(): AppError {
  return new AppError("rate_limited", {
    message:
      `There is nothing new yet, and ${maxWaiting} readers of this token wait already: ask again after the seconds of Retry-After.`,
    headers: { "Retry-After": String(retryAfterSeconds) },
  });
}
