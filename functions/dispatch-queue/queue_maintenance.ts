import type { Database } from "../../shared/database/database.ts";
import {
  expireClaims,
  expireMessages,
  feedBatches,
  foldUsage,
  holdSuspects,
  moveWaitingSlots,
  purgeExpired,
  rescueStalledInstances,
  retryUnconfirmed,
  runErasures,
  runMerges,
  runPayments,
  runQuestions,
  tellIdleConversations,
  updatePeople,
} from "../../shared/messages/maintenance.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";
import { withTimeout } from "../../shared/runtime/time_limit.ts";

export interface MaintenanceServices {
  readonly database: Database;
  readonly log: Log;
}

/** What maintenance changed, in rows of each kind. */
export interface MaintenanceReport {
  expiredClaims: number;
  requeued: number;
  woken: number;
  purged: number;
}

const intervalMs = 5_000;
/** How long the first poll of a run, for whose answer pg_net waits, is put off at most. */
const firstPassMs = 2_000;

/**
 * Looks after the queue during one run of the dispatcher: at its start, then at an interval. A failed
 * task does not prevent the others.
 */
export class QueueMaintenance {
  #nextAt = 0;
  #nextSlotMoveAt = 0;
  #nextErasureAt = 0;
  #nextMergeAt = 0;
  #nextFoldAt = 0;
  #nextPeopleAt = 0;
  #isPurged = false;
  #isWatched = false;
  #underWay: Promise<void> | null = null;

  /** @param onChange called when a message may be due that was not before. */
  constructor(
    private readonly services: MaintenanceServices,
    private readonly report: MaintenanceReport,
    private readonly onChange: () => void,
  ) {}

  /**
   * Starts the tasks that are due; does not start any beside a former pass. Resolves at once but for
   * the first time: a run begins with messages that maintenance has released, unless that takes long.
   * Later no message waits for maintenance.
   */
  async start(): Promise<void> {
    const now = performance.now();
    if (
      this.#underWay !== null ||
      now < Math.min(
          ...[this.#nextAt, this.#nextSlotMoveAt, this.#nextErasureAt, this.#nextMergeAt],
          ...[this.#nextFoldAt, this.#nextPeopleAt],
        )
    ) return;
    const isFirst = this.#nextAt === 0;
    this.#underWay = this.#maintain(now).finally(() => this.#underWay = null);
    if (isFirst) await withTimeout(this.#underWay, firstPassMs);
  }

  /** Waits for the pass in progress. */
  async finish(): Promise<void> {
    await this.#underWay;
  }

  /** Expired claims block their instance, and a forgotten instance sends nothing: these come first. */
  async #maintain(now: number): Promise<void> {
    if (now >= this.#nextSlotMoveAt) await this.#moveSlots(now);
    if (now >= this.#nextErasureAt) await this.#erase(now);
    if (now >= this.#nextMergeAt) await this.#merge(now);
    if (now >= this.#nextFoldAt) await this.#fold(now);
    if (now >= this.#nextPeopleAt) await this.#tellPeople(now);
    if (now < this.#nextAt) return;
    this.#nextAt = now + intervalMs;
    const { database } = this.services;
    await this.#attempt(async () => {
      const { expired } = await expireClaims(database);
      this.report.expiredClaims += expired;
      if (expired > 0) this.onChange();
    });
    await this.#attempt(async () => {
      const { requeued } = await retryUnconfirmed(database);
      this.report.requeued += requeued;
      if (requeued > 0) this.onChange();
    });
    await this.#attempt(async () => {
      const { expired } = await expireMessages(database);
      if (expired > 0) this.onChange();
    });
    await this.#attempt(() => tellIdleConversations(database));
    await this.#attempt(async () => {
      await runPayments(database);
    });
    await this.#attempt(async () => {
      const { sent } = await runQuestions(database);
      if (sent > 0) this.onChange();
    });
    if (!this.#isWatched) await this.#attempt(() => this.#holdSuspects());
    await this.#attempt(async () => {
      const { fed } = await feedBatches(database);
      if (fed > 0) this.onChange();
    });
    await this.#attempt(() => this.#rescueStalled());
    if (!this.#isPurged) await this.#attempt(() => this.#purge());
  }

  /**
   * An instance that confirms nothing any more should burn no further message. Once a run: it looks at
   * every instance.
   */
  async #holdSuspects(): Promise<void> {
    this.#isWatched = true;
    const { held, released } = await holdSuspects(this.services.database);
    if (held > 0) this.services.log.error("suspect_instances_stopped", { instances: held });
    if (released > 0) this.onChange();
  }

  async #rescueStalled(): Promise<void> {
    const { woken } = await rescueStalledInstances(this.services.database);
    if (woken === 0) return;
    this.report.woken += woken;
    this.services.log.error("stalled_instances_rescued", { instances: woken });
    this.onChange();
  }

  /** Purges one batch a pass, until none is left. */
  async #purge(): Promise<void> {
    const { purged, isComplete } = await purgeExpired(this.services.database);
    this.report.purged += purged;
    this.#isPurged = isComplete;
  }

  /** Moves one batch of slots between two polls. */
  async #moveSlots(now: number): Promise<void> {
    this.#nextSlotMoveAt = now + intervalMs;
    await this.#attempt(async () => {
      const { isComplete } = await moveWaitingSlots(this.services.database);
      if (!isComplete) this.#nextSlotMoveAt = 0;
    });
  }

  /** One step of an erasure between two polls. What waits for a worker is looked at again later. */
  async #erase(now: number): Promise<void> {
    this.#nextErasureAt = now + intervalMs;
    await this.#attempt(async () => {
      const { isComplete } = await runErasures(this.services.database);
      if (!isComplete) this.#nextErasureAt = 0;
    });
  }

  /** One step of a merge between two polls. */
  async #merge(now: number): Promise<void> {
    this.#nextMergeAt = now + intervalMs;
    await this.#attempt(async () => {
      const { isComplete } = await runMerges(this.services.database);
      if (!isComplete) this.#nextMergeAt = 0;
    });
  }

  /** Adds up some of what was counted of messages, between two polls. */
  async #fold(now: number): Promise<void> {
    this.#nextFoldAt = now + intervalMs;
    await this.#attempt(async () => {
      const { isComplete } = await foldUsage(this.services.database);
      if (!isComplete) this.#nextFoldAt = 0;
    });
  }

  /** Brings some of what persons have said at one unit to the others, between two polls. */
  async #tellPeople(now: number): Promise<void> {
    this.#nextPeopleAt = now + intervalMs;
    await this.#attempt(async () => {
      const { isComplete } = await updatePeople(this.services.database);
      if (!isComplete) this.#nextPeopleAt = 0;
    });
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.services.log.error("maintenance_failed", describeDefect(error));
    }
  }
}
