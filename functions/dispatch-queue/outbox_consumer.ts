import type { Database } from "../../shared/database/database.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";
import {
  claimOutbox,
  type DeliverOutboxRow,
  deliverOutboxRow,
} from "../../shared/outbox/delivery.ts";

export interface OutboxServices {
  readonly database: Database;
  readonly deliverEmail: DeliverOutboxRow;
  readonly deliverAgentReply: DeliverOutboxRow;
  readonly log: Log;
}

/** E-mails claimed at once: both are over well before their lease is, however slow the service. */
const emailsPerClaim = 2;
/** Models asked at once: they take seconds to answer. */
const maxAgentReplies = 20;

/**
 * The outbox's work beside the messages: e-mails one after the other, agent replies side by side.
 * A slow mail service or model delays nothing else.
 */
export class OutboxConsumer {
  readonly #underWay = new Set<Promise<void>>();
  #isMailing = false;
  #isFinishing = false;
  #agentReplies = 0;
  #rows = 0;

  constructor(private readonly services: OutboxServices) {}

  /** Rows taken in hand so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Takes up what is due, as far as the lanes have room. Returns at once. */
  start(): void {
    if (!this.#isMailing) this.#run(this.#sendEmails());
    if (this.#agentReplies < maxAgentReplies) this.#run(this.#answer());
  }

  /** Takes up nothing more, and waits for what was. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #run(work: Promise<void>): void {
    const settled = work.catch((error: unknown) => {
      this.services.log.error("outbox_pass_failed", describeDefect(error));
    }).finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }

  /** One after the other, for mail services count requests per second, until none is due. */
  async #sendEmails(): Promise<void> {
    this.#isMailing = true;
    const { database, deliverEmail } = this.services;
    try {
      while (!this.#isFinishing) {
        const rows = await claimOutbox(database, {
          kind: "assignment_email",
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
        const reply = deliverOutboxRow(this.services, deliverAgentReply, row);
        this.#run(reply.finally(() => this.#agentReplies -= 1));
      }
    } finally {
      this.#agentReplies -= room - taken;
    }
  }
}
