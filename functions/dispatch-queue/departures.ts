const secondMs = 1_000;

/** When the messages of each instance leave. Of this process: its runs overlap. */
const departuresOf = new Map<string, Departures>();

/**
 * Resolves when a message of a group may leave: at `dueAtMs` (by `performance.now()`), and never as one more
 * than `messagesPerSecond` within a second. The claim has spread the departures; where this process was busy
 * at their instants, they must not leave all at once. The call is to begin as soon as it resolves.
 *
 * @returns when it leaves, by the same clock.
 */
export function awaitDeparture(
  instanceId: string,
  dueAtMs: number,
  messagesPerSecond: number,
): Promise<number> {
  const departures = departuresOf.get(instanceId) ?? new Departures();
  departuresOf.set(instanceId, departures);
  return departures.wait(dueAtMs, messagesPerSecond);
}

/**
 * How a fast instance gives way while this process is late: it slows down, as far as to `ownPerSecond`, so that the
 * messages and calls of the others do not wait for its messages.
 */
const givingWay = {
  /** What an official number may send that the channel has not raised: no slower instance gives way. */
  ownPerSecond: 80,
  /** It gives way while its timers are later than this on average. */
  lateMs: 4,
  /** How much the newest timer counts in that average. */
  weight: 0.1,
  /** How often its speed changes, and by how much at each change. */
  everyMs: 100,
  slower: 0.95,
  faster: 1.01,
};

interface Waiting {
  readonly dueAtMs: number;
  readonly leave: (atMs: number) => void;
}

/** The departures of one instance: those that wait, by their instants, and when the last ones were. */
class Departures {
  readonly #waiting: Waiting[] = [];
  /** When the last ones left, as many as may leave in a second: a ring, so that one more copies no other. */
  #ring = new Float64Array();
  #next = 0;
  #latestMs = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How late its timers have been on average, in milliseconds. */
  #lateMs = 0;
  /** Of the pace, from 0 to 1. */
  #share = 1;
  #changesAtMs = 0;

  wait(dueAtMs: number, messagesPerSecond: number): Promise<number> {
    this.#setPace(messagesPerSecond);
    return new Promise((leave) => {
      const later = this.#waiting.findLastIndex((other) => other.dueAtMs <= dueAtMs) + 1;
      this.#waiting.splice(later, 0, { dueAtMs, leave });
      if (later === 0) this.#proceed();
    });
  }

  /** Whether nothing waits, and what has left counts no more. */
  get isOver(): boolean {
    return this.#waiting.length === 0 && this.#latestMs + secondMs < performance.now();
  }

  /** Lets every message leave that may, and sets a timer for the next one. */
  #proceed(): void {
    clearTimeout(this.#timer);
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const atMs = Math.max(first.dueAtMs, this.#freeAtMs());
      const nowMs = performance.now();
      // A timer may fire a little early.
      if (atMs > nowMs) {
        this.#timer = setTimeout(() => this.#wake(atMs), atMs - nowMs);
        return;
      }
      this.#waiting.shift();
      this.#note(nowMs);
      first.leave(nowMs);
    }
    forgetOthers(this);
  }

  #wake(atMs: number): void {
    const nowMs = performance.now();
    this.#lateMs += givingWay.weight * (Math.max(nowMs - atMs, 0) - this.#lateMs);
    this.#giveWay(nowMs);
    this.#proceed();
  }

  #giveWay(nowMs: number): void {
    if (nowMs < this.#changesAtMs) return;
    this.#changesAtMs = nowMs + givingWay.everyMs;
    const change = this.#lateMs > givingWay.lateMs ? givingWay.slower : givingWay.faster;
    const least = Math.min(givingWay.ownPerSecond / this.#ring.length, 1);
    this.#share = Math.min(Math.max(this.#share * change, least), 1);
  }

  /** When fewer have left within the last second than may. */
  #freeAtMs(): number {
    const { length } = this.#ring;
    const allowed = Math.ceil(length * this.#share);
    return (this.#ring[(this.#next + length - allowed) % length] ?? -Infinity) + secondMs;
  }

  #note(atMs: number): void {
    this.#ring[this.#next] = atMs;
    this.#next = (this.#next + 1) % this.#ring.length;
    this.#latestMs = atMs;
  }

  /** What has left counts at another pace too: the newest ones that it has room for. */
  #setPace(messagesPerSecond: number): void {
    if (messagesPerSecond === this.#ring.length) return;
    const oldestFirst = [...this.#ring.subarray(this.#next), ...this.#ring.subarray(0, this.#next)];
    this.#ring = new Float64Array(messagesPerSecond).fill(-Infinity);
    this.#next = 0;
    for (const atMs of oldestFirst.slice(-messagesPerSecond)) this.#note(atMs);
  }
}

/** An instance that sends no more takes no memory, as soon as another one has sent. */
function forgetOthers(departures: Departures): void {
  for (const [id, others] of departuresOf) {
    if (others !== departures && others.isOver) departuresOf.delete(id);
  }
}
