/** What callers have cost this process in vain: counted, for the metrics and for the readiness. */

/** What is counted. Each is one request or one connection. */
const loadEvents = [
  /** Its sender has closed the connection in the middle of its body. */
  "client_disconnected",
  /** Its body has come too slowly. */
  "body_timed_out",
  /** Its body was not whole yet, and made room for another one. */
  "body_displaced",
  /** Its caller is not known, and too many such requests were in progress. */
  "stranger_refused",
  /** It was refused though its caller may be known: too much was in progress. */
  "overload_refused",
  /** No request came on it in time. */
  "connection_expired",
  /** It made room for another one. */
  "connection_displaced",
] as const;

export type LoadEvent = typeof loadEvents[number];

/** Counters that only grow. */
export class LoadCounters {
  readonly #counts = new Map<LoadEvent, number>(loadEvents.map((event) => [event, 0]));
  readonly #lastAt = new Map<LoadEvent, number>();

  count(event: LoadEvent): void {
    this.#counts.set(event, (this.#counts.get(event) ?? 0) + 1);
    this.#lastAt.set(event, performance.now());
  }

  /** How often each event has happened in this process. */
  read(): readonly (readonly [event: LoadEvent, count: number])[] {
    return [...this.#counts];
  }

  /** Whether it has happened within the last `withinMs`. */
  hasHappened(event: LoadEvent, withinMs: number): boolean {
    const lastAt = this.#lastAt.get(event);
    return lastAt !== undefined && performance.now() - lastAt <= withinMs;
  }
}

/** Those of this process. */
export const loadCounters = new LoadCounters();
