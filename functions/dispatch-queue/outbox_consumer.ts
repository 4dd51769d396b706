import type { Database } from "../../shared/database/database.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";
import type { OutboxKind, OutboxRow } from "../../shared/database/rpcs/outbox.ts";
import type { TranscribeRow } from "../../shared/agents/transcribe.ts";
import type { MediaWork } from "../../shared/outbox/media_work.ts";
import {
  claimOutbox,
  type DeliverOutboxRow,
  deliverOutboxRow,
} from "../../shared/outbox/delivery.ts";
import { deliverReadReceipt, type ReadingServices } from "../../shared/messages/read_receipts.ts";
import { FileFetcher } from "./file_fetcher.ts";

export interface OutboxServices extends ReadingServices {
  readonly database: Database;
  readonly deliverEmail: DeliverOutboxRow;
  readonly deliverAgentReply: DeliverOutboxRow;
  readonly media: MediaWork;
  readonly transcribe: TranscribeRow;
  readonly log: Log;
}

const emailKinds: readonly OutboxKind[] = [
  ...["assignment_email", "endpoint_disabled_email"] as const,
  ...["instance_disconnected_email", "batch_paused_email", "budget_email"] as const,
];

/** E-mails per claim. Even a slow mail service delivers both well before their lease ends. */
const emailsPerClaim = 2;

/** Work of some kinds that runs side by side, up to a bound of its own. */
interface Lane {
  readonly kinds: readonly OutboxKind[];
  readonly maxRows: number;
  /** Does the work of a row and settles it. */
  readonly work: (services: OutboxServices, row: OutboxRow) => Promise<void>;
}

const lanes: readonly Lane[] = [
  {
    // A model takes seconds to respond.
    kinds: ["agent_reply"],
    maxRows: 20,
    work: (services, row) => deliverOutboxRow(services, services.deliverAgentReply, row),
  },
  {
    kinds: ["media_transcription"],
    maxRows: 4,
    work: ({ transcribe }, row) => transcribe(row),
  },
  {
    kinds: ["media_delete"],
    maxRows: 2,
    work: (services, row) => deliverOutboxRow(services, services.media.deleteFiles, row),
  },
  {
    kinds: ["read_receipt"],
    maxRows: 4,
    work: (services, row) =>
      deliverOutboxRow(services, (one) => deliverReadReceipt(services, one), row),
  },
];

/**
 * Processes the outbox beside the messages: e-mails sequentially, agent replies and files concurrently,
 * each in a lane of its own. A slow mail service, model or provider does not delay other work.
 */
export class OutboxConsumer {
  readonly #underWay = new Set<Promise<void>>();
  #isMailing = false;
  #isFilling = false;
  #isFinishing = false;
  readonly #files: FileFetcher;
  readonly #inLane = new Map<Lane, number>();
  /** Lanes whose last claim had no room for all that was due, as far as it knows. */
  readonly #backlogged = new Set<Lane>();
  #rows = 0;

  /** @param maxMessages of the run: see `FetchBudget`. */
  constructor(private readonly services: OutboxServices, maxMessages: number) {
    this.#files = new FileFetcher(services, maxMessages);
  }

  /** Number of rows claimed so far. */
  get rows(): number {
    return this.#rows + this.#files.files;
  }

  /** Starts due work up to the limits of each lane. Returns at once. */
  start(): void {
    if (!this.#isMailing) this.#run(this.#sendEmails());
    this.#run(this.#files.start());
    if (!this.#isFilling) this.#run(this.#fillLanes());
  }

  /** Stops claiming, and waits for the work in progress. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    this.#files.finish();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #run(work: Promise<void>): Promise<void> {
    const settled = work.catch((error: unknown) => {
      this.services.log.error("outbox_pass_failed", describeDefect(error));
    }).finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
    return settled;
  }

  /** One claim after the other: all at once, they would take every core from the sends of that moment. */
  async #fillLanes(): Promise<void> {
    this.#isFilling = true;
    for (const lane of lanes) {
      if (this.#roomOf(lane) > 0) await this.#run(this.#fill(lane));
    }
    this.#isFilling = false;
  }

  /** Sends the due e-mails sequentially, because mail services limit requests per second. */
  async #sendEmails(): Promise<void> {
    this.#isMailing = true;
    const { database, deliverEmail } = this.services;
    try {
      while (!this.#isFinishing) {
        const rows = await claimOutbox(database, {
          kinds: emailKinds,
          maxRows: emailsPerClaim,
        });
        if (rows.length === 0) return;
        this.#rows += rows.length;
        for (const row of rows) await deliverOutboxRow(this.services, deliverEmail, row);
      }
    } finally {
      this.#isMailing = false;
    }
  }

  #roomOf(lane: Lane): number {
    return lane.maxRows - (this.#inLane.get(lane) ?? 0);
  }

  #reserve(lane: Lane, rows: number): void {
    this.#inLane.set(lane, (this.#inLane.get(lane) ?? 0) + rows);
  }

  async #fill(lane: Lane): Promise<void> {
    const { kinds } = lane;
    const room = this.#roomOf(lane);
    // Reserves all free capacity before the claim, so that a concurrent step cannot use it.
    // Releases the unused part below.
    this.#reserve(lane, room);
    let taken = 0;
    try {
      const rows = await claimOutbox(this.services.database, { kinds, maxRows: room });
      taken = rows.length;
      this.#rows += taken;
      if (taken === room) this.#backlogged.add(lane);
      else this.#backlogged.delete(lane);
      for (const row of rows) this.#run(this.#work(lane, row));
    } finally {
      this.#reserve(lane, taken - room);
    }
  }

  /** Polls of the queue are too far apart for a lane in which rows wait for room. */
  async #work(lane: Lane, row: OutboxRow): Promise<void> {
    await lane.work(this.services, row).finally(() => this.#reserve(lane, -1));
    if (this.#backlogged.has(lane) && !this.#isFinishing && this.#roomOf(lane) > 0) {
      await this.#fill(lane);
    }
  }
}
