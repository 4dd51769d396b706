import type { WebhookWork } from "../../shared/database/rpcs/queue.ts";
import type { Database } from "../../shared/database/database.ts";
import type {
  AttemptResult,
  ClaimedDelivery,
  EventTarget,
  SettledDelivery,
} from "../../shared/database/rpcs/webhooks.ts";
import type { DeliverEvent } from "../../shared/events/deliver_event.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";
import { EndpointCalls, findBacklogged } from "./endpoint_calls.ts";
import { EventLooks } from "./event_looks.ts";

export interface EventServices {
  readonly database: Database;
  readonly deliverEvent: DeliverEvent;
  readonly log: Log;
}

/** The longest call takes 15 s. A delivery whose worker died is claimed again after the lease. */
const leaseSeconds = 30;

/**
 * Sends events to webhook endpoints beside everything else that a run does. No message and no e-mail
 * waits for it, and no endpoint for another one. Three steps, each in batches:
 *
 * 1. `#claim` takes due deliveries, as many as `EndpointCalls` has room for; `EventLooks` says when.
 * 2. `#deliver` calls their endpoints side by side.
 * 3. `#settle` records what has come of them.
 */
export class EventConsumer {
  readonly #calls = new EndpointCalls();
  readonly #looks = new EventLooks((pace) =>
    this.#watch(this.#looks.run(pace, () => this.#claim()))
  );
  readonly #underWay = new Set<Promise<void>>();
  /** Endpoints for which more may be due than their last claim took. */
  #backlogged: ReadonlySet<string> = new Set();
  #results: SettledDelivery[] = [];
  #isSettling = false;
  #deliveries = 0;

  /** @param maxDeliveries how many deliveries the run claims at most. */
  constructor(private readonly services: EventServices, private readonly maxDeliveries: number) {}

  /** Number of deliveries claimed so far. */
  get deliveries(): number {
    return this.#deliveries;
  }

  /** Acts on what a poll of the queue says about webhooks. Returns at once. */
  notice(work: WebhookWork): void {
    this.#looks.notice(work);
  }

  /** Stops claiming, and waits for the calls under way. */
  async finish(): Promise<void> {
    this.#looks.end();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #watch(work: Promise<void>): void {
    const watched = work.catch((error: unknown) => {
      this.services.log.error("event_pass_failed", describeDefect(error));
    }).finally(() => this.#underWay.delete(watched));
    this.#underWay.add(watched);
  }

  /** @returns how many deliveries it took; null where no call can begin now. */
  async #claim(): Promise<number | null> {
    const room = Math.min(this.#calls.room(), this.maxDeliveries - this.#deliveries);
    if (room <= 0) return null;
    const bounds = this.#calls.limits();
    const { deliveries, targets } = await this.services.database.rpc("claim_event_deliveries", {
      maxDeliveries: room,
      leaseSeconds,
      ...bounds,
    });
    this.#deliveries += deliveries.length;
    this.#backlogged = findBacklogged(bounds, deliveries, room);
    const targetOf = new Map(targets.map((target) => [target.endpointId, target]));
    for (const delivery of deliveries) {
      const target = targetOf.get(delivery.endpointId);
      if (target !== undefined) this.#watch(this.#deliver(delivery, target));
    }
    return deliveries.length;
  }

  async #deliver(delivery: ClaimedDelivery, target: EventTarget): Promise<void> {
    const endCall = this.#calls.begin(target.endpointId);
    const result = await this.#call(delivery, target).finally(endCall);
    const { deliveryId, claimToken } = delivery;
    this.#results.push({ deliveryId, claimToken, ...result });
    // What failed frees no place at once: a dead endpoint that refuses connections must not set the pace.
    const isDelivered = result.status !== null && result.status >= 200 && result.status < 300;
    if (isDelivered && this.#backlogged.has(target.endpointId)) this.#looks.now();
    await this.#settle();
  }

  async #call(delivery: ClaimedDelivery, target: EventTarget): Promise<AttemptResult> {
    const startedAt = performance.now();
    try {
      return await this.services.deliverEvent(delivery, target);
    } catch (error) {
      const { endpointId } = target;
      this.services.log.error("event_delivery_failed", { endpointId, ...describeDefect(error) });
      const durationMs = Math.round(performance.now() - startedAt);
      return { status: null, error: "not_sent", durationMs, answer: null, retryAfterMs: null };
    }
  }

  /** Settles in batches: what ends meanwhile goes with the next one. */
  async #settle(): Promise<void> {
    if (this.#isSettling) return;
    this.#isSettling = true;
    try {
      while (this.#results.length > 0) {
        const results = this.#results;
        this.#results = [];
        await this.services.database.rpc("settle_event_deliveries", { results });
      }
    } finally {
      this.#isSettling = false;
    }
  }
}
