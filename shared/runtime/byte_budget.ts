export interface ByteLimits {
  /** Of all owners together. */
  readonly totalBytes: number;
  /** Of one owner, so that no one takes the bytes of all. */
  readonly ownerBytes: number;
}

/** Bytes that are reserved. */
export interface ByteReservation {
  /** Gives back what is more than `bytes`. */
  shrinkTo(bytes: number): void;
  /** Gives back what is left. Does nothing a second time. */
  release(): void;
}

interface Waiter {
  readonly owner: string;
  readonly bytes: number;
  readonly grant: () => void;
}

/**
 * Bounds the bytes that are in memory at the same time. They are reserved before they are read, so that
 * no two wait for each other with half of theirs. Reservations are granted in the order in which they
 * were asked for; one that exceeds its owner's share holds up no other owner.
 */
export class ByteBudget {
  #total = 0;
  readonly #byOwner = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();

  constructor(private readonly limits: ByteLimits) {}

  /**
   * Reserves bytes, at most an owner's share, waiting for at most `waitMs`.
   *
   * @returns null on time-out.
   */
  async reserve(owner: string, wanted: number, waitMs: number): Promise<ByteReservation | null> {
    const bytes = Math.min(wanted, this.limits.ownerBytes);
    const isFirst = ![...this.#waiting].some((waiter) => this.#hasShare(waiter));
    if (isFirst && this.#hasShare({ owner, bytes }) && this.#hasRoom(bytes)) {
      this.#add(owner, bytes);
    } else if (!await this.#wait({ owner, bytes }, waitMs)) {
      return null;
    }
    return this.#hold(owner, bytes);
  }

  #hold(owner: string, bytes: number): ByteReservation {
    let held = bytes;
    const shrinkTo = (left: number): void => {
      if (left >= held) return;
      this.#add(owner, left - held);
      held = left;
      this.#grantWaiting();
    };
    return { shrinkTo, release: () => shrinkTo(0) };
  }

  async #wait(asked: Omit<Waiter, "grant">, waitMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter: Waiter = { ...asked, grant: () => resolve(true) };
    this.#waiting.add(waiter);
    const timer = setTimeout(() => resolve(false), waitMs);
    const isGranted = await promise;
    clearTimeout(timer);
    if (!isGranted) {
      this.#waiting.delete(waiter);
      // Those behind it may fit.
      this.#grantWaiting();
    }
    return isGranted;
  }

  #grantWaiting(): void {
    for (const waiter of this.#waiting) {
      if (!this.#hasShare(waiter)) continue;
      if (!this.#hasRoom(waiter.bytes)) return;
      this.#waiting.delete(waiter);
      this.#add(waiter.owner, waiter.bytes);
      waiter.grant();
    }
  }

  #hasShare({ owner, bytes }: Omit<Waiter, "grant">): boolean {
    return (this.#byOwner.get(owner) ?? 0) + bytes <= this.limits.ownerBytes;
  }

  #hasRoom(bytes: number): boolean {
    return this.#total + bytes <= this.limits.totalBytes;
  }

  #add(owner: string, bytes: number): void {
    this.#total += bytes;
    const held = (this.#byOwner.get(owner) ?? 0) + bytes;
    if (held === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, held);
  }
}
