import { type DispatchingServices, dispatchMessage } from "../../shared/messages/dispatch.ts";
import { AppError } from "../../shared/model/errors.ts";
import { describeDefect } from "../../shared/runtime/log.ts";
import { claimDueMessages, toLeaseSeconds } from "../../shared/messages/claim.ts";
import {
  expireClaims,
  moveWaitingSlots,
  purgeExpired,
  rescueStalledInstances,
  retryUnconfirmed,
} from "../../shared/messages/maintenance.ts";
import { OutboxConsumer, type OutboxServices } from "./outbox_consumer.ts";

export type DispatchServices = DispatchingServices & OutboxServices;

/** Bounds of one run; runs may overlap and hand over, whatever one leaves the next one finds. */
export interface DispatchLimits {
  /** How long new messages are taken up; those in flight are waited for beyond it. */
  readonly durationMs: number;
  readonly maxMessages: number;
}

/** What one run did, by outcome. */
export interface DispatchReport {
  accepted: number;
  rejected: number;
  unknown: number;
  outboxRows: number;
  expiredClaims: number;
  requeued: number;
  woken: number;
  purged: number;
}

/** Provider calls at once: the claim takes no more than can be called right away. */
const maxInFlight = 50;
/** Longest sleep: how late a message may leave that was queued as due at once. */
const maxSleepMs = 200;
/** Shortest sleep while what is due is in another worker's hands. */
const minSleepMs = 20;
const maintenanceIntervalMs = 5_000;
/** Pause after a look at the database that failed. */
const failurePauseMs = 500;

/**
 * Sends what is due until the time or the number of messages is used up, sleeping until the next
 * due time in between: every paced message is a deferred one, so looking once a minute would be a
 * minute late.
 *
 * @throws {AppError} `service_unavailable` where no look at the queue succeeded, so that whoever
 * watches the answers sees it; a single one that did is a run, whatever failed beside it.
 */
export async function runDispatch(
  services: DispatchServices,
  limits: DispatchLimits,
): Promise<DispatchReport> {
  const run = new DispatchRun(services, limits);
  await run.finish();
  return run.report;
}

class DispatchRun {
  readonly report: DispatchReport = {
    accepted: 0,
    rejected: 0,
    unknown: 0,
    outboxRows: 0,
    expiredClaims: 0,
    requeued: 0,
    woken: 0,
    purged: 0,
  };
  readonly #inFlight = new Set<Promise<void>>();
  readonly #outbox: OutboxConsumer;
  readonly #deadline: number;
  #taken = 0;
  #nextMaintenanceAt = 0;
  #nextSlotMoveAt = 0;
  #isPurged = false;
  #hasLooked = false;
  #hasFailed = false;

  constructor(
    private readonly services: DispatchServices,
    private readonly limits: DispatchLimits,
  ) {
    this.#outbox = new OutboxConsumer(services);
    this.#deadline = performance.now() + limits.durationMs;
  }

  async finish(): Promise<void> {
    while (performance.now() < this.#deadline && this.#taken < this.limits.maxMessages) {
      const sleepMs = await this.#step();
      await this.#sleep(Math.min(sleepMs, this.#deadline - performance.now()));
    }
    await Promise.all(this.#inFlight);
    await this.#outbox.finish();
    this.report.outboxRows = this.#outbox.rows;
    if (this.#hasFailed && !this.#hasLooked) {
      throw new AppError("service_unavailable");
    }
  }

  /** One look at the database; it may be away for a moment without ending the run. */
  async #step(): Promise<number> {
    try {
      await this.#maintainQueue();
      return await this.#takeDueMessages();
    } catch (error) {
      this.#hasFailed = true;
      this.services.log.error("dispatch_step_failed", describeDefect(error));
      return failurePauseMs;
    }
  }

  /** Starts what is due; returns for how long nothing more is expected. */
  async #takeDueMessages(): Promise<number> {
    const free = Math.min(maxInFlight - this.#inFlight.size, this.limits.maxMessages - this.#taken);
    if (free <= 0) return maxSleepMs;
    const claim = await claimDueMessages(this.services.database, {
      maxMessages: free,
      leaseSeconds: toLeaseSeconds(this.services.providerTimeoutMs),
    });
    this.#hasLooked = true;
    this.#taken += claim.messages.length;
    for (const message of claim.messages) {
      this.#track(
        dispatchMessage(this.services, message).then((outcome) => {
          this.report[outcome] += 1;
        }),
      );
    }
    if (claim.isOutboxDue) this.#outbox.start();
    if (claim.messages.length === free) return 0;
    const idleMs = Math.min(claim.nextDueInMs ?? maxSleepMs, maxSleepMs);
    return claim.messages.length > 0 ? idleMs : Math.max(idleMs, minSleepMs);
  }

  #track(work: Promise<void>): void {
    this.#inFlight.add(work);
    work.finally(() => this.#inFlight.delete(work));
  }

  /**
   * Everything once at the start; dead claims, which hold up their instance, every so often; and
   * what has outlived its use batch by batch until none is left. Each by itself: what fails in one
   * keeps nobody from the others.
   */
  async #maintainQueue(): Promise<void> {
    const now = performance.now();
    if (now >= this.#nextSlotMoveAt) await this.#moveSlots(now);
    if (now < this.#nextMaintenanceAt) return;
    const isFirst = this.#nextMaintenanceAt === 0;
    this.#nextMaintenanceAt = now + maintenanceIntervalMs;
    const { database, log } = this.services;
    await this.#attempt(async () => {
      this.report.expiredClaims += (await expireClaims(database)).expired;
    });
    if (isFirst) {
      await this.#attempt(async () => {
        this.report.requeued += (await retryUnconfirmed(database)).requeued;
      });
      await this.#attempt(async () => {
        const { woken } = await rescueStalledInstances(database);
        this.report.woken += woken;
        if (woken > 0) log.error("stalled_instances_rescued", { instances: woken });
      });
    }
    if (this.#isPurged) return;
    await this.#attempt(async () => {
      const { purged, isComplete } = await purgeExpired(database);
      this.report.purged += purged;
      this.#isPurged = isComplete;
    });
  }

  /** Between two looks at the queue some, so that no message waits for all of them. */
  async #moveSlots(now: number): Promise<void> {
    this.#nextSlotMoveAt = now + maintenanceIntervalMs;
    await this.#attempt(async () => {
      const { isComplete } = await moveWaitingSlots(this.services.database);
      if (!isComplete) this.#nextSlotMoveAt = 0;
    });
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.services.log.error("maintenance_failed", describeDefect(error));
    }
  }

  /** Ends early when a place for another call comes free while none was. */
  async #sleep(sleepMs: number): Promise<void> {
    if (sleepMs <= 0) return;
    const isFull = this.#inFlight.size >= maxInFlight;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, sleepMs);
    await (isFull ? Promise.race([promise, ...this.#inFlight]) : promise);
    clearTimeout(timer);
  }
}
