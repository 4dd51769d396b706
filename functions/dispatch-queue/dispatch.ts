import {
  type DispatchingServices,
  dispatchMessage,
  type DispatchOutcome,
} from "../../shared/messages/dispatch.ts";
import { describeDefect } from "../../shared/runtime/log.ts";
import {
  claimDueMessages,
  type ClaimResult,
  type LeasedMessage,
  toLeaseSeconds,
} from "../../shared/messages/claim.ts";
import { endTurns } from "../../shared/messages/maintenance.ts";
import { markReadAfterReply } from "../../shared/messages/read_receipts.ts";
import { maxSleepMs, onWakeUp } from "../../shared/messages/wake_up.ts";
import { onShutdown } from "../../shared/runtime/shutdown.ts";
import { CallsUnderWay } from "./calls_under_way.ts";
import { EventConsumer, type EventServices } from "./event_consumer.ts";
import { GroupConsumer } from "./group_consumer.ts";
import { OutboxConsumer, type OutboxServices } from "./outbox_consumer.ts";
import { type MaintenanceReport, QueueMaintenance } from "./queue_maintenance.ts";

export type DispatchServices = DispatchingServices & OutboxServices & EventServices;

/** Limits of one run. Runs may overlap. The next run continues with the remaining messages. */
export interface DispatchLimits {
  /** How long the run claims new messages. It then waits for the messages in flight. */
  readonly durationMs: number;
  /** How many messages it claims at most, as many in groups, and how many deliveries of events. */
  readonly maxMessages: number;
}

/** The results of one run, by outcome. */
export interface DispatchReport extends MaintenanceReport {
  accepted: number;
  rejected: number;
  unknown: number;
  outboxRows: number;
  deliveries: number;
}

/**
 * Sleeps while a message is due that another worker has locked: short at first, because it may have
 * become due during the poll, then doubled.
 */
const lockedSleepMs = { first: 1, longest: 20 };
/**
 * Sends of messages without a pace. `all` is as many as one process calls one host at once: see
 * `acquireHostSlot`.
 */
const sends = { quick: 50, all: 250, slowOfInstance: 25 };
/** Pause after a poll of the database that failed, and after an end of turns that did. */
const failurePauseMs = 500;

/** Called once, with whether the run's first poll of the queue succeeded. */
export type OnFirstPoll = (hasSucceeded: boolean) => void;

/**
 * Sends due messages until it reaches a limit of the run or the runtime announces its end, and sleeps
 * until the next due time in between. Paced messages become due between the runs of cron, so a single
 * poll per run would send them late. A failed poll is logged and does not end the run.
 *
 * @param onFirstPoll also told of a run that ends before its first poll, as of one that failed.
 * @returns what the run has done, when all that it has begun has ended.
 */
export async function runDispatch(
  services: DispatchServices,
  limits: DispatchLimits,
  onFirstPoll: OnFirstPoll = () => {},
): Promise<DispatchReport> {
  const run = new DispatchRun(services, limits, onFirstPoll);
  const endings = [onWakeUp(() => run.wake()), onShutdown(() => run.stop())];
  try {
    await run.finish();
  } finally {
    for (const end of endings) end();
  }
  return run.report;
}

class DispatchRun {
  readonly report: DispatchReport = {
    accepted: 0,
    rejected: 0,
    unknown: 0,
    outboxRows: 0,
    deliveries: 0,
    expiredClaims: 0,
    requeued: 0,
    woken: 0,
    purged: 0,
  };
  readonly #calls = new CallsUnderWay(sends);
  readonly #groups: GroupConsumer;
  readonly #readReceipts = new Set<Promise<void>>();
  /** The call that ends turns, beside the messages; null while none is under way. */
  #turns: Promise<void> | null = null;
  #nextTurnsAt = 0;
  readonly #outbox: OutboxConsumer;
  readonly #events: EventConsumer;
  readonly #maintenance: QueueMaintenance;
  #deadline: number;
  #taken = 0;
  #lockedSleepMs = lockedSleepMs.first;
  /** Ends the sleep, or prevents the next one. */
  #alarm = Promise.withResolvers<void>();
  #hasPolled = false;

  constructor(
    private readonly services: DispatchServices,
    private readonly limits: DispatchLimits,
    private readonly onFirstPoll: OnFirstPoll,
  ) {
    this.#outbox = new OutboxConsumer(services, limits.maxMessages);
    this.#events = new EventConsumer(services, limits.maxMessages);
    this.#groups = new GroupConsumer(services, limits.maxMessages, {
      onOutcome: (message, outcome) => this.#noteOutcome(message, outcome),
      onChange: () => this.wake(),
    });
    this.#maintenance = new QueueMaintenance(services, this.report, () => this.wake());
    this.#deadline = performance.now() + limits.durationMs;
  }

  /** Polls the queue without further sleep. */
  wake(): void {
    this.#alarm.resolve();
  }

  /** Claims nothing more. */
  stop(): void {
    this.#deadline = 0;
    this.wake();
  }

  async finish(): Promise<void> {
    while (!this.#isOver() && this.#taken < this.limits.maxMessages) {
      // Before the poll: what wakes the run from now on, the poll may have missed.
      this.#alarm = Promise.withResolvers<void>();
      const sleepMs = await this.#step();
      await this.#sleep(Math.min(sleepMs, this.#deadline - performance.now()));
    }
    this.#notePoll(false);
    // All at once: none of them claims anything from now on.
    await Promise.all([
      ...[this.#calls.finish(), this.#groups.finish()],
      ...[this.#outbox.finish(), this.#events.finish()],
    ]);
    await Promise.all([this.#maintenance.finish(), this.#turns, ...this.#readReceipts]);
    this.report.outboxRows = this.#outbox.rows;
    this.report.deliveries = this.#events.deliveries;
  }

  #isOver(): boolean {
    return performance.now() >= this.#deadline;
  }

  /** Polls the database once. A failed poll does not end the run. */
  async #step(): Promise<number> {
    try {
      await this.#maintenance.start();
      const sleepMs = await this.#takeDueMessages();
      this.#notePoll(true);
      return sleepMs;
    } catch (error) {
      this.services.log.error("dispatch_step_failed", describeDefect(error));
      this.#notePoll(false);
      return failurePauseMs;
    }
  }

  #notePoll(hasSucceeded: boolean): void {
    if (this.#hasPolled) return;
    this.#hasPolled = true;
    this.onFirstPoll(hasSucceeded);
  }

  /** Starts sending the due messages. Returns the time until the next poll, in milliseconds. */
  async #takeDueMessages(): Promise<number> {
    const free = Math.min(this.#calls.room(), this.limits.maxMessages - this.#taken);
    if (free <= 0) return maxSleepMs;
    const claim = await claimDueMessages(this.services.database, {
      maxMessages: free,
      leaseSeconds: toLeaseSeconds(this.services.providerTimeoutMs),
      crowdingInstances: this.#calls.crowding(),
    });
    this.#taken += claim.messages.length;
    for (const message of claim.messages) {
      this.#calls.add(
        message.instanceId,
        dispatchMessage(this.services, message)
          .then((outcome) => this.#noteOutcome(message, outcome)),
      );
    }
    this.#groups.notice(claim.groups);
    if (claim.isOutboxDue) this.#outbox.start();
    if (claim.isTurnDue) this.#endTurns();
    this.#events.notice(claim.webhooks);
    if (claim.messages.length === free) return 0;
    return this.#chooseSleep(claim);
  }

  #noteOutcome(message: LeasedMessage, outcome: DispatchOutcome): void {
    if (outcome !== "deferred") this.report[outcome] += 1;
    this.#markRead({ ...message, outcome });
  }

  /** Beside the calls: the next message of the instance does not wait for it. */
  #markRead(sent: Parameters<typeof markReadAfterReply>[1]): void {
    const marked = markReadAfterReply(this.services, sent)
      .finally(() => this.#readReceipts.delete(marked));
    this.#readReceipts.add(marked);
  }

  /** Starts a call that ends turns, unless one is under way or has just failed. */
  #endTurns(): void {
    if (performance.now() < this.#nextTurnsAt) return;
    this.#turns ??= endTurns(this.services.database, () => this.#isOver())
      .catch((error: unknown) => {
        this.#nextTurnsAt = performance.now() + failurePauseMs;
        this.services.log.error("turns_failed", describeDefect(error));
      })
      .finally(() => this.#turns = null);
  }

  /** Until the next due time, so that a paced message leaves at its slot. */
  #chooseSleep({ messages, nextDueInMs }: ClaimResult): number {
    if (nextDueInMs === null || nextDueInMs > 0 || messages.length > 0) {
      this.#lockedSleepMs = lockedSleepMs.first;
      return Math.min(nextDueInMs ?? maxSleepMs, maxSleepMs);
    }
    const sleepMs = this.#lockedSleepMs;
    this.#lockedSleepMs = Math.min(sleepMs * 2, lockedSleepMs.longest);
    return sleepMs;
  }

  /** Ends early when woken, and where there was no room for a call, when one ends. */
  async #sleep(sleepMs: number): Promise<void> {
    if (sleepMs <= 0) return;
    const { promise, resolve } = this.#alarm;
    const timer = setTimeout(resolve, sleepMs);
    await (this.#calls.room() > 0 ? promise : Promise.race([promise, this.#calls.nextEnd()]));
    clearTimeout(timer);
  }
}
