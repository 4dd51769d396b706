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

/** Limits of one run. Runs may overlap. The next run continues with the remaining messages. */
export interface DispatchLimits {
  /** How long the run claims new messages. It then waits for the messages in flight. */
  readonly durationMs: number;
  readonly maxMessages: number;
}

/** The results of one run, by outcome. */
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

/** Concurrent provider calls. A run claims only as many messages as it can send at once. */
const maxInFlight = 50;
/** Longest sleep. A message that is queued as due at once may leave this much later. */
const maxSleepMs = 200;
/** Shortest sleep while another worker has claimed the due messages. */
const minSleepMs = 20;
const maintenanceIntervalMs = 5_000;
/** Pause after a failed poll of the database. */
const failurePauseMs = 500;

/**
 * Sends due messages until it reaches a limit of the run, and sleeps until the next due time in
 * between. Paced messages become due between the runs of cron, so a single poll per run would send
 * them up to a minute late.
 *
 * @throws {AppError} `service_unavailable` where every poll of the queue failed, so that monitoring
 * of the responses detects it. A run with at least one successful poll succeeds.
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

  /** Polls the database once. A failed poll does not end the run. */
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

  /** Starts sending the due messages. Returns the time until the next poll, in milliseconds. */
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
   * Runs all maintenance tasks at the start of the run. Repeats the expiry of dead claims at an
   * interval, because they block their instance. Purges expired rows batch by batch until none is
   * left. A failed task does not prevent the others.
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

  /** Moves one batch of slots between two polls, so that messages do not wait for all batches. */
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

  /** Ends early when all provider calls were in use and one finishes. */
  async #sleep(sleepMs: number): Promise<void> {
    if (sleepMs <= 0) return;
    const isFull = this.#inFlight.size >= maxInFlight;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, sleepMs);
    await (isFull ? Promise.race([promise, ...this.#inFlight]) : promise);
    clearTimeout(timer);
  }
}
