/** How many requests a process works on at once, and whose shares of them there are. */
import { arrivingBodies } from "../../shared/runtime/arriving_bodies.ts";
import { loadCounters } from "../../shared/runtime/load_counters.ts";

export interface ShareLimits {
  /** Of all requests, but those whose body is still waited for, and those of the service's own work. */
  readonly all: number;
  /** Of requests whose caller is not known yet. */
  readonly strangers: number;
  /** Of requests that are the service's own work: providers may not repeat a webhook. */
  readonly unshared: number;
}

/** Whose share a request takes. */
export type RequestKind = "known" | "stranger" | "unshared";

/**
 * Admits requests. Those beyond a limit are refused before any work, which leaves time for the others.
 * Strangers have half at most, so that they keep out nobody who has a credential. Requests whose body is
 * still waited for do no work: they have a share of their own (`ArrivingBodies`).
 */
export class RequestShares {
  #strangers = 0;
  #unshared = 0;

  constructor(private readonly limits: ShareLimits) {}

  /**
   * @param inProgress requests in progress, and what works on after its answer.
   * @returns what ends the request's share; null where it is refused.
   */
  admit(kind: RequestKind, inProgress: number): (() => void) | null {
    if (kind === "unshared") return this.#admitUnshared();
    // Some of them are the service's own work, which is then counted twice in the callers' favour.
    const waiting = arrivingBodies.count;
    if (inProgress - this.#unshared - waiting >= this.limits.all) return refuse("overload_refused");
    if (kind === "known") return () => {};
    if (this.#strangers - waiting >= this.limits.strangers) return refuse("stranger_refused");
    this.#strangers += 1;
    return () => {
      this.#strangers -= 1;
    };
  }

  #admitUnshared(): (() => void) | null {
    if (this.#unshared >= this.limits.unshared) return refuse("overload_refused");
    this.#unshared += 1;
    return () => {
      this.#unshared -= 1;
    };
  }
}

function refuse(event: "overload_refused" | "stranger_refused"): null {
  loadCounters.count(event);
  return null;
}
