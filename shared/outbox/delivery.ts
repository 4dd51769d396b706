import type { Database } from "../database/database.ts";
import type { OutboxClaimRequest, OutboxOutcome, OutboxRow } from "../database/rpcs/outbox.ts";
import { AppError } from "../model/errors.ts";
import { describeDefect, type Log } from "../runtime/log.ts";

/** Delivers one row. An exception is a defect; the row is retried. */
export type DeliverOutboxRow = (row: OutboxRow) => Promise<OutboxOutcome>;

/** Longer than any delivery. A row whose worker died becomes due again after it. */
const leaseSeconds = 70;

/** Claims due rows for this worker until they are settled or their lease ends. */
export async function claimOutbox(
  database: Database,
  claim: Omit<OutboxClaimRequest, "leaseSeconds">,
): Promise<readonly OutboxRow[]> {
  const { rows } = await database.rpc("claim_outbox", { ...claim, leaseSeconds });
  return rows;
}

/** Delivers a claimed row and settles it. Logs a row that becomes `dead`. */
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
  const settled = await database.rpc("settle_outbox", {
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
