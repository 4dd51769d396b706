import type { Database } from "../../shared/database/database.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";
import { emailKinds } from "../../shared/model/outbox_kinds.ts";
import type { TranscribeRow } from "../../shared/agents/transcribe.ts";
import type { MediaWork } from "../../shared/outbox/media_work.ts";
import { type DeliverOutboxRow, deliverOutboxRow } from "../../shared/outbox/delivery.ts";
import { deliverReadReceipt, type ReadingServices } from "../../shared/messages/read_receipts.ts";
import { FileFetcher } from "./file_fetcher.ts";
import { type LaneOfWork, OutboxLane } from "./outbox_lane.ts";

export interface OutboxServices extends ReadingServices {
  readonly database: Database;
  readonly deliverEmail: DeliverOutboxRow;
  readonly deliverAgentReply: DeliverOutboxRow;
  readonly media: MediaWork;
  readonly transcribe: TranscribeRow;
  /** Tells the end of a question at the address of its call. */
  readonly notifyOfQuestion: DeliverOutboxRow;
  readonly log: Log;
}

function listLanes(services: OutboxServices): readonly LaneOfWork[] {
  const deliver = (delivery: DeliverOutboxRow): LaneOfWork["work"] => (row) =>
    deliverOutboxRow(services, delivery, row);
  return [
    // One after the other, because mail services limit requests per second; but one that hangs holds up no
    // other.
    {
      kinds: emailKinds,
      ...{ quick: 1, all: 10, slowOfInstance: 2 },
      work: deliver(services.deliverEmail),
    },
    // A model takes seconds to respond.
    {
      kinds: ["agent_reply"],
      ...{ quick: 20, all: 100, slowOfInstance: 20 },
      work: deliver(services.deliverAgentReply),
    },
    // Each holds its file in memory.
    {
      kinds: ["media_transcription"],
      ...{ quick: 4, all: 4, slowOfInstance: 2 },
      work: services.transcribe,
    },
    {
      kinds: ["media_delete"],
      ...{ quick: 2, all: 8, slowOfInstance: 2 },
      work: deliver(services.media.deleteFiles),
    },
    {
      kinds: ["read_receipt"],
      ...{ quick: 4, all: 40, slowOfInstance: 4 },
      work: deliver((row) => deliverReadReceipt(services, row)),
    },
    // Anybody's servers: one that hangs holds up no other instance's.
    {
      kinds: ["question_notification"],
      ...{ quick: 8, all: 80, slowOfInstance: 4 },
      work: deliver(services.notifyOfQuestion),
    },
  ];
}

/**
 * Processes the outbox beside the messages: e-mails, agent replies and files, each in a lane of its own. A
 * slow mail service, model or provider does not delay other work, and within a lane no instance's work delays
 * another's: they take turns, and what hangs gives its place away.
 */
export class OutboxConsumer {
  readonly #underWay = new Set<Promise<void>>();
  #isFilling = false;
  readonly #files: FileFetcher;
  readonly #lanes: readonly OutboxLane[];

  /** @param maxMessages of the run: see `FetchBudget`. */
  constructor(private readonly services: OutboxServices, maxMessages: number) {
    this.#files = new FileFetcher(services, maxMessages);
    this.#lanes = listLanes(services).map((lane) => new OutboxLane(services, lane));
  }

  /** Number of rows claimed so far. */
  get rows(): number {
    return this.#lanes.reduce((sum, { rows }) => sum + rows, this.#files.files);
  }

  /** Starts due work up to the limits of each lane. Returns at once. */
  start(): void {
    this.#run(this.#files.start());
    if (!this.#isFilling) this.#run(this.#fillLanes());
  }

  /** Stops claiming, and waits for the work in progress. */
  async finish(): Promise<void> {
    const parts = [...this.#lanes, this.#files];
    await Promise.all(parts.map((part) => part.finish()));
    // A pass that has begun goes through all lanes.
    await Promise.all(this.#underWay);
    await Promise.all(parts.map((part) => part.finish()));
  }

  #run(work: Promise<void>): void {
    const settled = work.catch((error: unknown) => {
      this.services.log.error("outbox_pass_failed", describeDefect(error));
    }).finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }

  /** One claim after the other: all at once, they would take every core from the sends of that moment. */
  async #fillLanes(): Promise<void> {
    this.#isFilling = true;
    for (const lane of this.#lanes) await lane.fill();
    this.#isFilling = false;
  }
}
