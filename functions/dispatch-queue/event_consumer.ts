import type { Database } from "../../shared/database/database.ts";
import type {
  AttemptResult,
  ClaimedDelivery,
  EventTarget,
  SettledDelivery,
} from "../../shared/database/rpcs/webhooks.ts";
import type { DeliverEvent } from "../../shared/events/deliver_event.ts";
import { LookPace, onEventsAnnounced } from "../../shared/runtime/event_announcement.ts";
import { maxSleepMs } from "../../shared/messages/wake_up.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";
import { EndpointCalls, findBacklogged } from "./endpoint_calls.ts";

export interface EventServices {
  readonly database: Database;
  readonly deliverEvent: DeliverEvent;
  readonly log: Log;
}

/** The longest call takes 15 s. A delivery whose worker died is claimed again after the lease. */
const leaseSeconds = 30;
/**
 * Pauses between two looks for new events. Under load the events of many requests share one look. Without
 * an announcement the poll of the queue finds them.
 */
const lookBounds = { leastMs: 20, mostMs: maxSleepMs };

/**
 * Sends events to webhook endpoints beside everything else that a run does: it claims deliveries, calls
 * the endpoints side by side and settles what has come, each of them in batches. No message and no
 * e-mail waits for it, and no endpoint for another one: see `EndpointCalls`.
 */
export class EventConsumer {
  readonly #calls = new EndpointCalls();
  readonly #underWay = new Set<Promise<void>>();
  readonly #endListening: () => void;
  #isFinishing = false;
  #isClaiming = false;
  /** Asked to look while it was claiming. */
  #mustLookAgain = false;
  #results: SettledDelivery[] = [];
  #isSettling = false;
  /** Endpoints for which more may be due than their last claim took. */
  #backlogged: ReadonlySet<string> = new Set();
  #hasEndpoints = false;
  readonly #announcements = new LookPace(lookBounds);
  /** Apart, because what waits for a dead endpoint is due at every poll, and no place is free for it. */
  readonly #polls = new LookPace(lookBounds);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #deliveries = 0;

  /** @param maxDeliveries how many deliveries the run claims at most. */
  constructor(private readonly services: EventServices, private readonly maxDeliveries: number) {
    this.#endListening = onEventsAnnounced(() => {
      // Without an endpoint, what is recorded concerns nobody.
      if (this.#hasEndpoints) this.#lookSoon();
    });
  }

  /** Number of deliveries claimed so far. */
  get deliveries(): number {
    return this.#deliveries;
  }

  /** Acts on what a poll of the queue says about webhooks. Returns at once. */
  notice(work: "due" | "idle" | "none"): void {
    this.#hasEndpoints = work !== "none";
    if (work === "due" && this.#polls.waitMs() <= 0) this.#look(this.#polls);
  }

  /** Stops claiming, and waits for the calls under way. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    this.#endListening();
    clearTimeout(this.#timer);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Looks at once after a quiet time, else when the pause since the last look is over. */
  #lookSoon(): void {
    if (this.#timer !== undefined || this.#isFinishing) return;
    const waitMs = this.#announcements.waitMs();
    if (waitMs <= 0) return this.#look(this.#announcements);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look(this.#announcements);
    }, waitMs);
  }

  #look(pace?: LookPace): void {
    pace?.begin();
    if (this.#isClaiming) {
      this.#mustLookAgain = true;
    } else if (!this.#isFinishing) {
      this.#run(this.#claim(pace));
    }
  }

  #run(work: Promise<void>): void {
    const settled = work.catch((error: unknown) => {
      this.services.log.error("event_pass_failed", describeDefect(error));
    }).finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }

  async #claim(pace?: LookPace): Promise<void> {
    this.#isClaiming = true;
    try {
      do {
        this.#mustLookAgain = false;
        const room = Math.min(this.#calls.room(), this.maxDeliveries - this.#deliveries);
        if (room <= 0) return;
        const bounds = this.#calls.limits();
        const { deliveries, targets } = await this.services.database.rpc("claim_event_deliveries", {
          maxDeliveries: room,
          leaseSeconds,
          ...bounds,
        });
        this.#deliveries += deliveries.length;
        pace?.note(deliveries.length > 0);
        this.#backlogged = findBacklogged(bounds, deliveries, room);
        const targetOf = new Map(targets.map((target) => [target.endpointId, target]));
        for (const delivery of deliveries) {
          const target = targetOf.get(delivery.endpointId);
          if (target !== undefined) this.#run(this.#deliver(delivery, target));
        }
      } while (this.#mustLookAgain && !this.#isFinishing);
    } finally {
      this.#isClaiming = false;
    }
  }

  async #deliver(delivery: ClaimedDelivery, target: EventTarget): Promise<void> {
    const endCall = this.#calls.begin(target.endpointId);
    const result = await this.#call(delivery, target).finally(endCall);
    const { deliveryId, claimToken } = delivery;
    this.#results.push({ deliveryId, claimToken, ...result });
    // What failed frees no place at once: a dead endpoint that refuses connections must not set the pace.
    const isDelivered = result.status !== null && result.status >= 200 && result.status < 300;
    if (isDelivered && this.#backlogged.has(target.endpointId)) this.#look();
    if (!this.#isSettling) await this.#settle();
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
