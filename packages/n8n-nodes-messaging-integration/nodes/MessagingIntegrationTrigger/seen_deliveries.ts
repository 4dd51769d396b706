import type { Delivery } from "./signature";

/** How many events are remembered of an endpoint. */
const remembered = 1000;

/** What a delivery is to a trigger that may have had it. */
export type Novelty =
  /** Its event was not seen before. */
  | "new"
  /** Its event was seen; the service delivers it again, with another time. */
  | "repeated"
  /** The very delivery was seen: somebody has recorded it and sends it again. */
  | "replayed";

/**
 * The times at which each event was delivered, by endpoint. Of this process: n8n does not keep static data
 * that a webhook changes when it starts the workflow (2.41 takes the mark of the change away).
 */
const seen = new Map<string, Map<string, Set<string>>>();

/** Judges a delivery by those before it, and remembers it. */
export function rememberDelivery(endpointId: string, { id, timestamp }: Delivery): Novelty {
  const events = seen.get(endpointId) ?? new Map<string, Set<string>>();
  seen.set(endpointId, events);
  const times = events.get(id);
  if (times !== undefined) {
    if (times.has(timestamp)) return "replayed";
    times.add(timestamp);
    return "repeated";
  }
  events.set(id, new Set([timestamp]));
  const [oldest] = events.keys();
  if (events.size > remembered && oldest !== undefined) events.delete(oldest);
  return "new";
}

/** Forgets an endpoint that is removed. */
export function forgetDeliveries(endpointId: string): void {
  seen.delete(endpointId);
}
