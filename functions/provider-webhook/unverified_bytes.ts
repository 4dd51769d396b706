/** Memory for bodies of deliveries whose signature can be checked when they are whole: until then anybody's. */
import { AppError } from "../../shared/model/errors.ts";

export interface UnverifiedLimits {
  /** Of all such bodies together. */
  readonly totalBytes: number;
  /** Of those from one address. */
  readonly sourceBytes: number;
}

/** What one body holds. */
export interface Holding {
  /**
   * Notes how much of it has come. Beyond a limit the largest body makes room.
   *
   * @throws {AppError} `service_unavailable` where that is this one.
   */
  holdAtLeast(bytes: number): void;
  /** Notes that it is whole: it makes room for no other one, and its signature is checked at once. */
  complete(): void;
  /** Does nothing a second time. */
  release(): void;
}

interface Body {
  readonly source: string;
  bytes: number;
  isWhole: boolean;
  readonly displace: (error: AppError) => void;
}

/**
 * Bounds the bytes of unverified bodies. What has come counts, not what was announced: who announces
 * 3 MB and sends a byte holds no place that another one needs. Beyond a limit the largest body of the
 * address that holds the most makes room, so that the small bodies of the provider always pass.
 */
export class UnverifiedBytes {
  readonly #bodies = new Set<Body>();
  readonly #bySource = new Map<string, number>();
  #total = 0;

  constructor(private readonly limits: UnverifiedLimits) {}

  /** @param displace ends the reading of the body. */
  hold(source: string, displace: (error: AppError) => void): Holding {
    const body: Body = { source, bytes: 0, isWhole: false, displace };
    this.#bodies.add(body);
    return {
      holdAtLeast: (bytes) => {
        if (!this.#bodies.has(body)) throw tooManyDeliveries();
        this.#add(body, Math.max(0, bytes - body.bytes));
        this.#makeRoom();
        if (!this.#bodies.has(body)) throw tooManyDeliveries();
      },
      complete: () => {
        body.isWhole = true;
      },
      release: () => this.#remove(body),
    };
  }

  #makeRoom(): void {
    for (;;) {
      const source = this.#findLargestSource();
      if (source === null) return;
      const isOver = source.bytes > this.limits.sourceBytes || this.#total > this.limits.totalBytes;
      const largest = isOver ? this.#findLargestOf(source.name) : null;
      if (largest === null) return;
      this.#remove(largest);
      largest.displace(tooManyDeliveries());
    }
  }

  #findLargestSource(): { readonly name: string; readonly bytes: number } | null {
    let largest: { name: string; bytes: number } | null = null;
    for (const [name, bytes] of this.#bySource) {
      if (bytes > (largest?.bytes ?? 0)) largest = { name, bytes };
    }
    return largest;
  }

  /** Of equal ones the oldest. */
  #findLargestOf(source: string): Body | null {
    let largest: Body | null = null;
    for (const body of this.#bodies) {
      if (body.source !== source || body.isWhole) continue;
      if (body.bytes > (largest?.bytes ?? 0)) largest = body;
    }
    return largest;
  }

  #add(body: Body, bytes: number): void {
    body.bytes += bytes;
    this.#total += bytes;
    const held = (this.#bySource.get(body.source) ?? 0) + bytes;
    if (held === 0) this.#bySource.delete(body.source);
    else this.#bySource.set(body.source, held);
  }

  #remove(body: Body): void {
    if (this.#bodies.delete(body)) this.#add(body, -body.bytes);
  }
}

/** Providers make a refused delivery again. */
export function tooManyDeliveries(): AppError {
  return new AppError("service_unavailable", {
    message: "Too many deliveries are being received; try again in a moment.",
  });
}
