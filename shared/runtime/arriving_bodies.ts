/** Bodies of requests that are not whole yet: how many there may be, and how long each may take. */

export interface ArrivalLimits {
  /** How many bodies may be waited for at the same time. */
  readonly maxBodies: number;
  /** How long a sender may be silent. */
  readonly silenceMs: number;
  /** How long a body may take at any pace. */
  readonly unhurriedMs: number;
  /** The pace of those that take longer. */
  readonly leastBytesPerSecond: number;
}

/** `timed_out`: it was too slow. `displaced`: it made room for another one. */
export type ArrivalFault = "timed_out" | "displaced";

/** A body did not arrive. */
export class ArrivalError extends Error {
  override readonly name = "ArrivalError";
  constructor(readonly fault: ArrivalFault) {
    super(`the body of a request has ${fault}`);
  }
}

type EndWaiting = (error: Error) => void;

/**
 * Late bodies end in rounds: to answer 2,500 that began together takes a second of the processor, in
 * which nobody else would be answered. So 250 end in a second.
 */
const lateInRound = 1;
const roundMs = 4;

/** A body that arrives. */
export interface Arrival {
  /**
   * What `part` resolves to, or fails with. Only this time counts as the sender's: not that in which
   * the reader works.
   *
   * @throws {ArrivalError}
   */
  wait<Part>(part: Promise<Part>): Promise<Part>;
  /** Notes that so many bytes have come, which gives the body time. */
  add(bytes: number): void;
  /** Ends the waiting with this error, now or when it begins. */
  fail(error: Error): void;
}

/**
 * Bounds what senders can hold open by not sending. A body ends when its sender has been silent for
 * `silenceMs`, and after `unhurriedMs` where it comes slower than `leastBytesPerSecond`. Beyond
 * `maxBodies` the one whose sender has been silent the longest makes room: a body that comes is never
 * refused for those that do not.
 */
export class ArrivingBodies {
  /** What ends each waiting, the longest first. */
  readonly #waiting = new Set<EndWaiting>();
  /** Those whose time is over. */
  readonly #late = new Set<EndWaiting>();
  #nextRound: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly limits: ArrivalLimits) {}

  /** How many are being waited for. */
  get count(): number {
    return this.#waiting.size;
  }

  begin(): Arrival {
    let bytes = 0;
    let waitedMs = 0;
    let failure: Error | null = null;
    let end: EndWaiting | null = null;
    return {
      wait: async (part) => {
        if (failure !== null) {
          part.catch(() => {});
          throw failure;
        }
        const waiting = Promise.withResolvers<never>();
        const { reject } = waiting;
        end = reject;
        const since = performance.now();
        const timer = setTimeout(() => this.#end(reject), this.#timeLeft(bytes, waitedMs));
        this.#add(reject);
        try {
          return await Promise.race([part, waiting.promise]);
        } finally {
          clearTimeout(timer);
          this.#remove(reject);
          end = null;
          waitedMs += performance.now() - since;
        }
      },
      add: (more) => {
        bytes += more;
      },
      fail: (error) => {
        failure = error;
        end?.(error);
      },
    };
  }

  /** Ends the body whose sender has been silent the longest. @returns false where there is none. */
  displaceOne(): boolean {
    const [longest] = this.#waiting;
    if (longest === undefined) return false;
    this.#remove(longest);
    longest(new ArrivalError("displaced"));
    return true;
  }

  #add(end: EndWaiting): void {
    if (this.#waiting.size >= this.limits.maxBodies) this.displaceOne();
    this.#waiting.add(end);
  }

  #remove(end: EndWaiting): void {
    this.#waiting.delete(end);
    this.#late.delete(end);
    if (this.#late.size > 0) return;
    clearTimeout(this.#nextRound);
    this.#nextRound = undefined;
  }

  #end(late: EndWaiting): void {
    this.#late.add(late);
    if (this.#nextRound === undefined) this.#endRound();
  }

  #endRound(): void {
    const round = [...this.#late].slice(0, lateInRound);
    this.#nextRound = setTimeout(() => this.#endRound(), roundMs);
    for (const end of round) {
      this.#remove(end);
      end(new ArrivalError("timed_out"));
    }
  }

  #timeLeft(bytes: number, waitedMs: number): number {
    const { silenceMs, unhurriedMs, leastBytesPerSecond } = this.limits;
    const wholeMs = Math.max(unhurriedMs, bytes * 1_000 / leastBytesPerSecond);
    return Math.max(0, Math.min(silenceMs, wholeMs - waitedMs));
  }
}

/** As many as requests that work (functions_host.ts): never more than half of what is in progress. */
const maxArrivingBodies = 2_500;

/** Those of this process. */
export const arrivingBodies = new ArrivingBodies({
  maxBodies: maxArrivingBodies,
  silenceMs: 10_000,
  unhurriedMs: 30_000,
  leastBytesPerSecond: 1_000,
});
