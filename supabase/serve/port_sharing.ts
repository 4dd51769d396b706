/**
 * Which processes of a service take connections. One does, as long as it keeps up: processes that share
 * the load halve the groups of database calls and double the sessions, which costs 1.5 times as much
 * processor time a send (`deno task bench serve`). The others are loaded and wait.
 */

/** One of the processes, as the one that started it sees it. */
export interface SharingProcess {
  /** Seconds of processor time so far; null where the system does not tell. */
  readProcessorSeconds(): Promise<number | null>;
  /** Lets it take connections. */
  listen(): void;
  /** Lets it ask its clients for new connections, which the system spreads. */
  spread(): void;
}

/** A process that works so much of the time keeps up no longer; it has one thread for JavaScript. */
const fullShare = 0.8;
/** How many looks in a row all that listen must be full. A start or a burst of a second is none. */
const fullLooks = 3;

interface Listening {
  lookedAt: number;
  seconds: number | null;
}

/** The processes of one port, in the order in which they started. */
export class PortSharing {
  readonly #waiting = new Set<SharingProcess>();
  readonly #listening = new Map<SharingProcess, Listening>();
  readonly #substituted = new Set<SharingProcess>();
  #wanted = 1;
  #fullLooks = 0;

  /** Takes up a process that was started. */
  add(process: SharingProcess): void {
    this.#waiting.add(process);
    this.#fill();
  }

  /** Forgets one that has ended. The one that waits the longest takes its place at once. */
  remove(process: SharingProcess): void {
    this.#waiting.delete(process);
    this.#listening.delete(process);
    if (this.#substituted.delete(process)) this.#wanted -= 1;
    this.#fill();
  }

  /**
   * Lets another process take connections beside one that is silent. The system goes on handing some to that
   * one, until it ends.
   */
  substitute(process: SharingProcess): void {
    if (!this.#listening.has(process) || this.#substituted.has(process)) return;
    this.#substituted.add(process);
    this.#wanted += 1;
    this.#fill();
  }

  /**
   * Looks how much those that listen have worked since the last look, and lets one more listen when all
   * are full. It goes on listening: what they cost together is less than what a full one delays.
   *
   * @param now in milliseconds, of a clock that never goes back.
   */
  async look(now: number): Promise<void> {
    const before = [...this.#listening.keys()];
    const shares = await Promise.all(before.map((process) => this.#readShare(process, now)));
    const areFull = shares.length > 0 && shares.every((share) => share >= fullShare);
    this.#fullLooks = areFull ? this.#fullLooks + 1 : 0;
    if (this.#fullLooks < fullLooks || this.#waiting.size === 0) return;
    this.#fullLooks = 0;
    this.#wanted += 1;
    this.#fill();
    for (const process of before) process.spread();
  }

  #fill(): void {
    for (const process of this.#waiting) {
      if (this.#listening.size >= this.#wanted) return;
      this.#waiting.delete(process);
      this.#listening.set(process, { lookedAt: 0, seconds: null });
      process.listen();
    }
  }

  /** Where the system tells nothing, every process listens, as if all were full. */
  async #readShare(process: SharingProcess, now: number): Promise<number> {
    const seconds = await process.readProcessorSeconds();
    const former = this.#listening.get(process);
    // It has ended meanwhile.
    if (former === undefined) return 0;
    if (seconds === null) return 1;
    this.#listening.set(process, { lookedAt: now, seconds });
    if (former.seconds === null) return 0;
    return 1_000 * (seconds - former.seconds) / (now - former.lookedAt);
  }
}
