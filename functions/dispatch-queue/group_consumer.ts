import { setTimeout as delay } from "node:timers/promises";
import { gatherSettlements } from "../../shared/database/grouped_calls.ts";
import {
  claimMessageGroup,
  type DepartingMessage,
  type LeasedMessage,
  toLeaseSeconds,
} from "../../shared/messages/claim.ts";
import {
  type DispatchingServices,
  dispatchMessage,
  type DispatchOutcome,
} from "../../shared/messages/dispatch.ts";
import { feedBatchesOf } from "../../shared/messages/maintenance.ts";
import { countRoom } from "../../shared/runtime/fair_semaphore.ts";
import { describeDefect } from "../../shared/runtime/log.ts";
import { awaitDeparture } from "./departures.ts";

/**
 * The most messages of groups that one run has in its hands, calls under way and those that wait for their
 * departure. They have places of their own: however fast one instance sends, the others' messages find room.
 */
const maxMessagesInHand = 1_000;
/** Of the messages of a run, the part that one instance leaves to the others. */
const partOfOthers = 1 / 5;

/**
 * How long before its departure a message is made ready, in milliseconds: a group is not made ready at once, for
 * which everything else in the process would wait.
 */
const readyBeforeMs = 100;

/** What a run learns of the messages that groups have sent. */
export interface GroupListener {
  /** A message's outcome is recorded. */
  readonly onOutcome: (message: LeasedMessage, outcome: DispatchOutcome) => void;
  /** A message may be due that was not before. */
  readonly onChange: () => void;
}

/**
 * Sends the messages of instances with a pace, beside all others of a run. Such an instance is claimed in
 * groups, some four times a second: every message of a group has its departure, so many calls are under way
 * at once, and each begins when the pace says. While batches of the instance run, each claim gives them more.
 */
export class GroupConsumer {
  readonly #services: DispatchingServices;
  /** How many messages of an instance are in hand. */
  readonly #inHand = new Map<string, number>();
  readonly #claiming = new Set<string>();
  readonly #feeding = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #total = 0;
  /** How many messages of each instance the run has claimed, and of all. */
  readonly #takenOf = new Map<string, number>();
  #taken = 0;
  #isFinishing = false;

  /** @param maxMessages how many messages the run claims for groups at most. */
  constructor(
    services: DispatchingServices,
    private readonly maxMessages: number,
    private readonly listener: GroupListener,
  ) {
    this.#services = { ...services, database: gatherSettlements(services.database) };
  }

  /** Claims groups of instances that are due. Returns at once. */
  notice(instanceIds: readonly string[] | null | undefined): void {
    for (const instanceId of instanceIds ?? []) {
      if (this.#isFinishing || this.#claiming.has(instanceId)) continue;
      if (this.#roomOf(instanceId) <= 0) continue;
      this.#claiming.add(instanceId);
      this.#watch(this.#claim(instanceId).finally(() => this.#claiming.delete(instanceId)));
    }
  }

  /** Stops claiming, and waits for the messages in hand. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /**
   * Instances share the messages in hand, and those of the run: one whose provider hangs, or that sends fast,
   * leaves room to the others.
   */
  #roomOf(instanceId: string): number {
    const free = maxMessagesInHand - this.#total;
    const room = countRoom(this.#inHand.get(instanceId) ?? 0, free, maxMessagesInHand);
    const share = Math.ceil(this.maxMessages * (1 - partOfOthers));
    const left = share - (this.#takenOf.get(instanceId) ?? 0);
    return Math.min(room, left, this.maxMessages - this.#taken);
  }

  #watch(work: Promise<void>): void {
    const watched = work.catch((error: unknown) => {
      this.#services.log.error("group_claim_failed", describeDefect(error));
    }).finally(() => this.#underWay.delete(watched));
    this.#underWay.add(watched);
  }

  async #claim(instanceId: string): Promise<void> {
    const claimedAtMs = performance.now();
    const { messages, messagesPerSecond, feedsBatches } = await claimMessageGroup(
      this.#services.database,
      {
        instanceId,
        maxMessages: this.#roomOf(instanceId),
        leaseSeconds: toLeaseSeconds(this.#services.providerTimeoutMs),
      },
    );
    this.#taken += messages.length;
    this.#takenOf.set(instanceId, (this.#takenOf.get(instanceId) ?? 0) + messages.length);
    this.#count(instanceId, messages.length);
    for (const message of messages) {
      const dueAtMs = claimedAtMs + message.departsInMs;
      const awaitTurn = (): Promise<unknown> =>
        awaitDeparture(instanceId, dueAtMs, messagesPerSecond ?? 1);
      this.#watch(
        delay(Math.max(message.departsInMs - readyBeforeMs, 0)).then(() =>
          this.#send(message, awaitTurn, feedsBatches)
        ),
      );
    }
    this.listener.onChange();
    if (feedsBatches) this.#feed(instanceId);
  }

  async #send(
    message: DepartingMessage,
    awaitTurn: () => Promise<unknown>,
    feedsBatches: boolean,
  ): Promise<void> {
    const { instanceId } = message;
    const outcome = await dispatchMessage(this.#services, message, awaitTurn);
    this.#count(instanceId, -1);
    this.listener.onOutcome(message, outcome);
    // The last one of a batch finishes it.
    if (feedsBatches && !this.#inHand.has(instanceId)) this.#feed(instanceId);
  }

  #count(instanceId: string, messages: number): void {
    this.#total += messages;
    const inHand = (this.#inHand.get(instanceId) ?? 0) + messages;
    if (inHand === 0) this.#inHand.delete(instanceId);
    else this.#inHand.set(instanceId, inHand);
  }

  #feed(instanceId: string): void {
    if (this.#feeding.has(instanceId)) return;
    this.#feeding.add(instanceId);
    this.#watch(
      feedBatchesOf(this.#services.database, instanceId).then(({ fed }) => {
        if (fed > 0) this.listener.onChange();
      }).finally(() => this.#feeding.delete(instanceId)),
    );
  }
}
