import type { Database } from "./database/database.ts";
import type { RunAfterResponse } from "./background.ts";

/** Work that a request promised; its id is the idempotency key towards the receiver. */
export interface OutboxRow {
  readonly outboxId: string;
  readonly claimToken: string;
  readonly kind: "assignment_email";
  readonly payload: Readonly<Record<string, unknown>>;
  readonly attempts: number;
}

/** How the work on a row ended: `retry` comes back with backoff, `dead` stays for a person. */
export type OutboxOutcome =
  | { readonly outcome: "done" }
  | {
    readonly outcome: "retry";
    readonly error: string;
    readonly retryAfterMs?: number | undefined;
  }
  | { readonly outcome: "dead"; readonly error: string };

/** Does the work of one row. What it throws is a defect and is tried again. */
export type DeliverOutboxRow = (row: OutboxRow) => Promise<OutboxOutcome>;

/** Longer than any delivery takes; a row whose worker died is due again after it. */
const leaseSeconds = 60;

/** One pass over the outbox. */
export interface OutboxPass {
  readonly database: Database;
  readonly deliver: DeliverOutboxRow;
  readonly maxRows: number;
  /** Only these rows: what the request itself has just written. */
  readonly outboxIds?: readonly string[];
}

/**
 * Claims due rows and does their work, one after the other: mail services count requests per
 * second. Returns how many rows it had in hand.
 */
export async function deliverOutbox(pass: OutboxPass): Promise<number> {
  const { database, maxRows, outboxIds } = pass;
  const { rows } = await database.rpc<{ rows: OutboxRow[] }>("claim_outbox", {
    maxRows,
    leaseSeconds: leaseSeconds + maxRows,
    outboxIds: outboxIds ?? null,
  });
  for (const row of rows) {
    const outcome = await deliverSafely(pass.deliver, row);
    const { outboxId, claimToken } = row;
    await database.rpc("settle_outbox", { outboxId, claimToken, ...outcome });
  }
  return rows.length;
}

/** What hurrying takes. */
export interface HurryServices {
  readonly database: Database;
  readonly deliverOutboxRow: DeliverOutboxRow;
  readonly runAfterResponse: RunAfterResponse;
}

/** Tries a row that this request has written, after its answer. The dispatcher does so otherwise. */
export function hurryOutbox(services: HurryServices, outboxId: string): void {
  const { database, deliverOutboxRow: deliver } = services;
  services.runAfterResponse(() =>
    deliverOutbox({ database, deliver, maxRows: 1, outboxIds: [outboxId] })
  );
}

async function deliverSafely(deliver: DeliverOutboxRow, row: OutboxRow): Promise<OutboxOutcome> {
  try {
    return await deliver(row);
  } catch (error) {
    return { outcome: "retry", error: error instanceof Error ? error.name : "defect" };
  }
}
