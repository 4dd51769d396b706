import { onEventsAnnounced } from "../runtime/event_announcement.ts";
import type { PositionRequest, PrimaryPosition } from "./rpcs/availability.ts";

/** Where a read is made. */
export interface PositionNeed {
  /** Whose feed is read; null for a read of anything else. */
  readonly instanceId: string | null;
  /**
   * Whether the reader waits and looks again: a position that others have asked for in the last tenth of a second
   * serves it too, unless this process has recorded events since.
   */
  readonly isShareable: boolean;
}

/** How old a position may be for a reader that waits. Two looks of one are up to 250 ms apart. */
const sharedMs = 100;
/** For how long the instance of a reader that waits is asked for with every position. */
const followedMs = 1_000;

interface Asked {
  readonly askedAt: number;
  readonly instanceIds: ReadonlySet<string>;
  readonly position: Promise<PrimaryPosition>;
}

/**
 * Asks the primary for its position, for all readers of a process at once: at most one question is under way, and
 * all who come meanwhile share the next one. So a position is never older than the read that needs it, but for
 * readers that wait.
 */
export class PrimaryPositions {
  #latest: Asked | null = null;
  /** The question that waits until the one under way is answered. */
  #next: { readonly instanceIds: Set<string>; readonly asked: Promise<Asked> } | null = null;
  #underWay: Promise<unknown> | null = null;
  #settledThrough: number | null = null;
  #announcedAt = -Infinity;
  readonly #followedAt = new Map<string, number>();
  readonly close = onEventsAnnounced(() => this.#announcedAt = performance.now());

  constructor(private readonly ask: (request: PositionRequest) => Promise<PrimaryPosition>) {}

  /** The position to read at. @throws what the primary's call throws. */
  async find({ instanceId, isShareable }: PositionNeed): Promise<PrimaryPosition> {
    if (instanceId !== null && isShareable) {
      this.#followedAt.set(instanceId, performance.now());
      const latest = this.#latest;
      if (latest !== null && this.#serves(latest, instanceId)) return await latest.position;
    }
    const asked = await this.#join(instanceId);
    return await asked.position;
  }

  /** Has the next reader that waits ask again: it may have read from the primary since. */
  forget(): void {
    this.#latest = null;
  }

  #serves({ askedAt, instanceIds }: Asked, instanceId: string): boolean {
    return instanceIds.has(instanceId) && askedAt > this.#announcedAt &&
      performance.now() - askedAt < sharedMs;
  }

  #join(instanceId: string | null): Promise<Asked> {
    if (this.#next === null) {
      const instanceIds = new Set<string>();
      const before = this.#underWay ?? Promise.resolve();
      this.#next = { instanceIds, asked: before.then(() => this.#start(instanceIds)) };
    }
    if (instanceId !== null) this.#next.instanceIds.add(instanceId);
    return this.#next.asked;
  }

  #start(instanceIds: Set<string>): Asked {
    this.#next = null;
    const askedAt = performance.now();
    for (const [followed, followedAt] of this.#followedAt) {
      if (askedAt - followedAt > followedMs) this.#followedAt.delete(followed);
      else instanceIds.add(followed);
    }
    const position = this.ask({
      instanceIds: [...instanceIds],
      settledThrough: this.#settledThrough,
    });
    const asked = { askedAt, instanceIds, position };
    this.#latest = asked;
    const underWay = position.then(
      ({ settledThrough }) => this.#settledThrough = settledThrough,
      () => this.#forget(asked),
    ).then(() => {
      if (this.#underWay === underWay) this.#underWay = null;
    });
    this.#underWay = underWay;
    return asked;
  }

  #forget(failed: Asked): void {
    this.#settledThrough = null;
    if (this.#latest === failed) this.#latest = null;
  }
}
