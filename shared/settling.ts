import type { Database } from "./database/database.ts";
import { describeDefect, type Log } from "./log.ts";
import { type KeptResponse, type Settlement, settleMessages } from "./messages.ts";

/** Waits before each further try to record an outcome, in milliseconds; within the claim's lease. */
const settleRetryDelaysMs = [100, 400, 1_500, 4_000];

/**
 * Records an outcome, trying again while the database cannot be reached: the provider has spoken,
 * and only this claim knows what it said. If it never succeeds the lease ends and the message is
 * `unconfirmed`: visible, and not sent again by itself.
 */
export async function recordOutcome(
  services: { readonly database: Database; readonly log: Log },
  settlement: Settlement,
  kept?: KeptResponse,
): Promise<void> {
  for (const delayMs of [...settleRetryDelaysMs, null]) {
    try {
      await settleMessages(services.database, [settlement], kept);
      return;
    } catch (error) {
      services.log.error("settle_failed", {
        messageId: settlement.messageId,
        outcome: settlement.receipt.outcome,
        isLastTry: delayMs === null,
        ...describeDefect(error),
      });
      if (delayMs !== null) await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}
