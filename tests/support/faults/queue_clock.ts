import postgres, { type Sql, type TransactionSql } from "postgres";

/** What the queue of an instance waits for. */
interface Waiting {
  readonly inFlight: string | null;
  /** Until its head is due; null where nothing waits. */
  readonly dueInMs: number | null;
  /** Until the claim of what is in flight ends. */
  readonly leaseEndsInMs: number | null;
}

/**
 * Lets the waits of one instance's queue pass at once, while dispatchers run. It never moves the time
 * while a message is on its way, so what a provider sees keeps its distances by this clock: the time of
 * arrival plus `skippedMs`. Knows nothing of sessions, keys, or the days of `protection`.
 */
export class QueueClock {
  /** How much has been skipped so far. */
  skippedMs = 0;
  /** The message whose sender was killed. */
  #lost: string | null = null;

  constructor(private readonly admin: Sql, private readonly instanceId: string) {}

  /** Lets the wait for the next message, or for the end of a lost claim, pass but for `restMs`. */
  async skipWait(restMs: number): Promise<void> {
    await this.#skip(({ inFlight, dueInMs, leaseEndsInMs }) => {
      if (inFlight !== null) return inFlight === this.#lost ? (leaseEndsInMs ?? 0) + 1 : 0;
      return (dueInMs ?? 0) - restMs;
    });
  }

  /** Lets `ms` pass, unless a message is on its way. */
  async skip(ms: number): Promise<void> {
    await this.#skip(({ inFlight }) => inFlight === null ? ms : 0);
  }

  /** The sender of what is in flight now is dead: its claim is waited for, and may be skipped. */
  async loseFlight(): Promise<void> {
    const [row] = await this.admin`
      select in_flight from messaging.dispatch where instance_id = ${this.instanceId}`;
    this.#lost = row?.["in_flight"] ?? null;
  }

  async #skip(choose: (waiting: Waiting) => number): Promise<void> {
    // A transaction that is not the product's takes its locks in no order that callers keep.
    await retryDeadlocks(() => this.#skipAtOnce(choose));
  }

  async #skipAtOnce(choose: (waiting: Waiting) => number): Promise<void> {
    await this.admin.begin(async (transaction) => {
      // In the product's order. Nothing is claimed, and nothing settled, until this commits.
      await transaction`
        select from messaging.pacing where instance_id = ${this.instanceId} for no key update`;
      const [waiting] = await transaction<Waiting[]>`
        select in_flight as "inFlight",
          case when next_due_at < 'infinity' then
            extract(epoch from next_due_at - clock_timestamp())::float8 * 1000
          end as "dueInMs",
          extract(epoch from lease_until - clock_timestamp())::float8 * 1000 as "leaseEndsInMs"
        from messaging.dispatch where instance_id = ${this.instanceId} for no key update`;
      const ms = waiting === undefined ? 0 : Math.ceil(choose(waiting));
      if (ms <= 0) return;
      await move(transaction, this.instanceId, ms);
      // Before the commit: nothing arrives until then.
      this.skippedMs += ms;
    });
  }
}

async function move(transaction: TransactionSql, instanceId: string, ms: number): Promise<void> {
  const by = transaction`make_interval(secs => ${ms / 1_000})`;
  await transaction`
    update messaging.message_queue set scheduled_at = scheduled_at - ${by},
      visible_at = visible_at - ${by}, lease_until = lease_until - ${by}
    where instance_id = ${instanceId}`;
  await transaction`
    update messaging.messages set scheduled_for = scheduled_for - ${by}
    where instance_id = ${instanceId} and status = 'queued'`;
  await transaction`
    update messaging.batches set start_at = start_at - ${by}, expires_at = expires_at - ${by},
      served_at = served_at - ${by}
    where instance_id = ${instanceId}`;
  await transaction`
    update messaging.pacing set last_slot_at = last_slot_at - ${by}
    where instance_id = ${instanceId}`;
  await transaction`
    update messaging.dispatch set next_due_at = next_due_at - ${by},
      lease_until = lease_until - ${by}, paced_from = paced_from - ${by},
      hold_until = hold_until - ${by}
    where instance_id = ${instanceId}`;
}

/** Makes a transaction again that Postgres has ended for a deadlock, three times at most. */
async function retryDeadlocks(transaction: () => Promise<void>, left = 3): Promise<void> {
  try {
    await transaction();
  } catch (error) {
    if (left === 0 || !(error instanceof postgres.PostgresError) || error.code !== "40P01") {
      throw error;
    }
    await retryDeadlocks(transaction, left - 1);
  }
}
