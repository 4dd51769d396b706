/** Calls that have just begun, in total: what two cores can send at once. */
const maxQuickCalls = 128;
/** All calls, those included that wait for a slow receiver. Each holds a connection. */
const maxCalls = 1_000;
/** Calls of one endpoint at once, while it answers quickly. */
const maxPerEndpoint = 64;
/** Calls of one endpoint at once, while it is slow; new ones a look, while it fails. */
const maxPerSlowEndpoint = 4;
/** A call that lasts longer gives its place among the quick ones away. */
const quickMs = 1_000;

/** The bounds of one claim, as `claim_event_deliveries` takes them. */
export interface ClaimBounds {
  readonly perEndpoint: number;
  readonly perFailingEndpoint: number;
  readonly places: Readonly<Record<string, number>>;
}

/**
 * The calls of endpoints that one run has under way. An endpoint that answers has many places, a slow or
 * failing one few, and a call that waits for long takes none from the others: however many endpoints
 * are dead, the rest goes on at its speed.
 */
export class EndpointCalls {
  /** When each call of an endpoint began, oldest first. */
  readonly #startedAt = new Map<string, Set<{ readonly atMs: number }>>();

  /** How many deliveries can be claimed now. */
  room(): number {
    const quickSinceMs = performance.now() - quickMs;
    let quick = 0;
    let all = 0;
    for (const calls of this.#startedAt.values()) {
      all += calls.size;
      for (const { atMs } of calls) if (atMs > quickSinceMs) quick += 1;
    }
    return Math.min(maxQuickCalls - quick, maxCalls - all);
  }

  /** How many deliveries of each endpoint can be claimed now. */
  limits(): ClaimBounds {
    const quickSinceMs = performance.now() - quickMs;
    const places: Record<string, number> = {};
    for (const [endpointId, calls] of this.#startedAt) {
      const [oldest] = calls;
      const isSlow = oldest !== undefined && oldest.atMs <= quickSinceMs;
      const limit = isSlow ? maxPerSlowEndpoint : maxPerEndpoint;
      places[endpointId] = Math.max(limit - calls.size, 0);
    }
    return { perEndpoint: maxPerEndpoint, perFailingEndpoint: maxPerSlowEndpoint, places };
  }

  /** Notes that a call begins. @returns notes its end. */
  begin(endpointId: string): () => void {
    const call = { atMs: performance.now() };
    const calls = this.#startedAt.get(endpointId) ?? new Set();
    calls.add(call);
    this.#startedAt.set(endpointId, calls);
    return () => {
      calls.delete(call);
      if (calls.size === 0 && this.#startedAt.get(endpointId) === calls) {
        this.#startedAt.delete(endpointId);
      }
    };
  }
}

/**
 * The endpoints for which more may be due than a claim with these bounds took. An endpoint whose bound
 * the worker does not know, because it may be failing, counts with the smaller one.
 */
export function findBacklogged(
  { places, perFailingEndpoint }: ClaimBounds,
  claimed: readonly { readonly endpointId: string }[],
  maxClaimed: number,
): ReadonlySet<string> {
  const counts = new Map(Object.keys(places).map((endpointId) => [endpointId, 0]));
  for (const { endpointId } of claimed) {
    counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
  }
  const isCut = claimed.length >= maxClaimed;
  return new Set(
    [...counts].filter(([endpointId, count]) =>
      isCut || count >= (places[endpointId] ?? perFailingEndpoint)
    ).map(([endpointId]) => endpointId),
  );
}
