import type { Database } from "../database/database.ts";
import { AppError } from "../model/errors.ts";
import { describeDefect, type Log } from "../runtime/log.ts";

/** Kinds of work; each kind is claimed by itself, so that a slow one delays no other. */
export type OutboxKind = "assignment_email" | "agent_reply";

/** Work that a request promised; its id is the idempotency key towards the receiver. */
export interface OutboxRow {
  readonly outboxId: string;
  readonly claimToken: string;
  readonly kind: OutboxKind;
  readonly payload: Readonly<Record<string, unknown>>;
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
const leaseSeconds = 70;

/** Which rows to take. */
export interface OutboxClaim {
  readonly kind: OutboxKind;
  readonly maxRows: number;
}

/** Claims due rows; each is this worker's until it is delivered or its lease ends. */
export async function claimOutbox(
  database: Database,
  { kind, maxRows }: OutboxClaim,
): Promise<readonly OutboxRow[]> {
  const { rows } = await database.rpc<{ rows: OutboxRow[] }>("claim_outbox", {
    kinds: [kind],
    maxRows,
    leaseSeconds,
  });
  return rows;
}

/** Does the work of a claimed row and records how it ended; one that is given up is logged. */
export async function deliverOutboxRow(
  { database, log }: { readonly database: Database; readonly log: Log },
  deliver: DeliverOutboxRow,
  row: OutboxRow,
): Promise<void> {
  const { outboxId, claimToken, kind } = row;
  let outcome: OutboxOutcome;
  try {
    outcome = await deliver(row);
  } catch (error) {
    log.error("outbox_delivery_failed", { outboxId, kind, ...describeDefect(error) });
    outcome = { outcome: "retry", error: nameDefect(error) };
  }
  const settled = await database.rpc<{ status: string | null }>("settle_outbox", {
    outboxId,
    claimToken,
    ...outcome,
  });
  if (settled.status === "dead" && outcome.outcome !== "done") {
    log.error("outbox_row_dead_lettered", { outboxId, kind, error: outcome.error });
  }
}

function nameDefect(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return error instanceof Error ? error.name : "defect";
}
