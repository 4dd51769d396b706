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

/** E-mails per claim. Even a slow mail service delivers both well before their lease ends. */
const emailsPerClaim = 2;
/** Concurrent agent replies: a model takes seconds to respond. */
const maxAgentReplies = 20;

/**
 * Processes the outbox beside the messages: e-mails sequentially, agent replies concurrently. A
 * slow mail service or model does not delay other work.
 */
export class OutboxConsumer {
  readonly #underWay = new Set<Promise<void>>();
  #isMailing = false;
  #isFinishing = false;
  #agentReplies = 0;
  #rows = 0;

  constructor(private readonly services: OutboxServices) {}

  /** Number of rows claimed so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Starts due work up to the limits of each lane. Returns at once. */
  start(): void {
    if (!this.#isMailing) this.#run(this.#sendEmails());
    if (this.#agentReplies < maxAgentReplies) this.#run(this.#answer());
  }

  /** Stops claiming, and waits for the work in progress. */
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

  /** Sends the due e-mails sequentially, because mail services limit requests per second. */
  async #sendEmails(): Promise<void> {
    this.#isMailing = true;
    const { database, deliverEmail } = this.services;
    try {
      while (!this.#isFinishing) {
        const rows = await claimOutbox(database, {
          kinds: ["assignment_email", "endpoint_disabled_email", "instance_disconnected_email"],
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
    // Reserves all free capacity before the claim, so that a concurrent step cannot use it.
    // Releases the unused part below.
    this.#agentReplies += room;
    let taken = 0;
    try {
      const rows = await claimOutbox(database, { kinds: ["agent_reply"], maxRows: room });
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
