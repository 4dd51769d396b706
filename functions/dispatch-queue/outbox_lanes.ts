import type { Database } from "../../shared/database/database.ts";
import { describeDefect, type Log } from "../../shared/log.ts";
import {
  claimOutbox,
  deliverEmails,
  type DeliverOutboxRow,
  deliverOutboxRow,
} from "../../shared/outbox.ts";

export interface OutboxLaneServices {
  readonly database: Database;
  readonly deliverEmail: DeliverOutboxRow;
  readonly deliverAgentReply: DeliverOutboxRow;
  readonly log: Log;
}

const emailsPerPass = 20;
/** Models asked at once: they take seconds to answer. */
const maxAgentReplies = 20;

/**
 * The outbox's work beside the messages: e-mails one after the other, agent replies side by side.
 * A slow mail service or model delays nothing else.
 */
export class OutboxLanes {
  readonly #underWay = new Set<Promise<void>>();
  #isMailing = false;
  #agentReplies = 0;
  #rows = 0;

  constructor(private readonly services: OutboxLaneServices) {}

  /** Rows taken in hand so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Takes up what is due, as far as the lanes have room. Returns at once. */
  start(): void {
    if (!this.#isMailing) this.#run(this.#sendEmails());
    if (this.#agentReplies < maxAgentReplies) this.#run(this.#answer());
  }

  /** Waits for all that was taken up. */
  async finish(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #run(work: Promise<void>): void {
    const settled = work.catch((error: unknown) => {
      this.services.log.error("outbox_pass_failed", describeDefect(error));
    }).finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }

  async #sendEmails(): Promise<void> {
    this.#isMailing = true;
    try {
      const { database, deliverEmail } = this.services;
      this.#rows += await deliverEmails(database, deliverEmail, emailsPerPass);
    } finally {
      this.#isMailing = false;
    }
  }

  async #answer(): Promise<void> {
    const { database, deliverAgentReply } = this.services;
    const room = maxAgentReplies - this.#agentReplies;
    // The room is taken before it is known how much of it is needed: another step must not give
    // it away meanwhile.
    this.#agentReplies += room;
    let taken = 0;
    try {
      const rows = await claimOutbox(database, { kind: "agent_reply", maxRows: room });
      taken = rows.length;
      this.#rows += taken;
      for (const row of rows) {
        const reply = deliverOutboxRow(database, deliverAgentReply, row);
        this.#run(reply.finally(() => this.#agentReplies -= 1));
      }
    } finally {
      this.#agentReplies -= room - taken;
    }
  }
}
