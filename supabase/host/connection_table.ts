/** The connections of a server: how many there may be, and how long one may be without a request. */
import { loadCounters } from "../../shared/runtime/load_counters.ts";

export interface ConnectionLimits {
  /** Of all connections. */
  readonly max: number;
  /** Until the head of the first request is whole, or the rest of a body that nobody reads. */
  readonly firstRequestMs: number;
  /** Until the head of the next request is whole. */
  readonly idleMs: number;
  /** Until a body that is streamed to the client has left. */
  readonly sendingMs: number;
}

/** How a connection is ended: after what is under way, or at once. */
export type EndConnection = (how: "gracefully" | "at_once") => void;

/** What a server tells of a connection. */
export interface TrackedConnection {
  /** A request's handler begins. */
  begin(): void;
  /**
   * A request's handler has answered.
   *
   * @param isOwed whether the client still owes the rest of a body that nobody reads.
   */
  answer(isOwed: boolean): void;
  /** The answer has left, or is lost. */
  complete(): void;
  /** The connection is closed. */
  remove(): void;
}

type Idleness = "fresh" | "idle" | "sending";

interface Entry {
  handling: number;
  sending: number;
  isOwed: boolean;
  since: number;
  readonly end: EndConnection;
}

/**
 * Keeps the connections, those without a request apart. Beyond `max` one of them makes room: first one
 * on which no request ever came, then the one that has been idle the longest. So nobody is kept out by
 * those who only connect.
 */
export class ConnectionTable {
  readonly #all = new Set<Entry>();
  /** By what they wait for, the longest first. */
  readonly #waiting: Readonly<Record<Idleness, Set<Entry>>> = {
    fresh: new Set(),
    idle: new Set(),
    sending: new Set(),
  };

  constructor(private readonly limits: ConnectionLimits) {}

  get size(): number {
    return this.#all.size;
  }

  /** Takes up a connection; null where all have requests, so that none makes room. */
  add(end: EndConnection): TrackedConnection | null {
    if (this.#all.size >= this.limits.max && !this.displaceOne()) return null;
    const entry = { handling: 0, sending: 0, isOwed: false, since: performance.now(), end };
    this.#all.add(entry);
    this.#waiting.fresh.add(entry);
    const change = (handling: number, sending: number): void => {
      entry.handling += handling;
      entry.sending += sending;
      this.#sort(entry);
    };
    return {
      begin: () => change(1, 0),
      answer: (isOwed) => {
        entry.isOwed = isOwed;
        change(-1, 1);
      },
      complete: () => change(0, -1),
      remove: () => this.#remove(entry),
    };
  }

  /** Ends a connection without a request. @returns false where there is none. */
  displaceOne(): boolean {
    for (const [idleness, entries] of Object.entries(this.#waiting)) {
      const [longest] = entries;
      if (longest === undefined) continue;
      loadCounters.count("connection_displaced");
      this.#end(longest, idleness);
      return true;
    }
    return false;
  }

  /** Ends the connections whose time is over. */
  expire(): void {
    const { firstRequestMs, idleMs, sendingMs } = this.limits;
    const limits = { fresh: firstRequestMs, idle: idleMs, sending: sendingMs };
    const now = performance.now();
    for (const [idleness, entries] of Object.entries(this.#waiting)) {
      for (const entry of entries) {
        if (now - entry.since < limits[idleness as Idleness]) break;
        loadCounters.count("connection_expired");
        this.#end(entry, idleness);
      }
    }
  }

  #sort(entry: Entry): void {
    if (!this.#all.has(entry)) return;
    for (const entries of Object.values(this.#waiting)) entries.delete(entry);
    if (entry.handling > 0) return;
    entry.since = performance.now();
    const idleness = entry.isOwed ? "fresh" : "idle";
    this.#waiting[entry.sending > 0 ? "sending" : idleness].add(entry);
  }

  /** Only an idle connection may have begun a request that is to be answered. */
  #end(entry: Entry, idleness: string): void {
    this.#remove(entry);
    entry.end(idleness === "idle" ? "gracefully" : "at_once");
  }

  #remove(entry: Entry): void {
    this.#all.delete(entry);
    for (const entries of Object.values(this.#waiting)) entries.delete(entry);
  }
}
