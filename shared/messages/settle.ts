import type { Database } from "../database/database.ts";
import type { SettledOutcome } from "../database/rpcs/messages.ts";
import { describeDefect, type Log } from "../runtime/log.ts";
import { type StoredResponse, writeResponse } from "../idempotency/stored_response.ts";
import type { Idempotency } from "../database/rpcs/idempotency.ts";
import type { Receipt } from "../providers/provider.ts";

/** The outcome of one claimed message. */
export interface Settlement {
  readonly instanceId: string;
  readonly messageId: string;
  readonly claimToken: string;
  readonly receipt: Receipt;
  /** How long after its claim the provider was called; undefined where it was not, or is not paced. */
  readonly calledAfterMs?: number | undefined;
  /** The stored credentials that the call used, if known. */
  readonly sealedProviderConfig?: string;
}

/** An immediate send's answer, kept under its Idempotency-Key together with the outcome. */
export interface KeptResponse<Body extends object = object> {
  readonly idempotency: Idempotency | null;
  readonly response: StoredResponse<Body>;
}

/**
 * Waits before each retry to record an outcome, in milliseconds. They may outlast the claim's lease: a
 * provider's acceptance is recorded even then. Together they outlast the 32 s for which the platform's
 * Data API was seen to be away after a restart of Postgres.
 */
const settleRetryDelaysMs = [100, 400, 1_500, 4_000, 8_000, 16_000, 16_000];

/**
 * Records an outcome. Retries for 46 s while the database cannot be reached, and for over a minute
 * more if each try times out: only this claim knows the provider's answer. If no try succeeds, the lease
 * ends and the message is `unconfirmed`: visible, and not sent again by itself.
 */
export async function recordOutcome(
  services: { readonly database: Database; readonly log: Log },
  settlement: Settlement,
  kept?: KeptResponse,
): Promise<void> {
  for (const delayMs of [...settleRetryDelaysMs, null]) {
    try {
      await settleMessage(services.database, settlement, kept);
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

/** Safe to repeat after a lost answer: a second call changes nothing. */
async function settleMessage(
  database: Database,
  settlement: Settlement,
  kept?: KeptResponse,
): Promise<void> {
  await database.rpc("settle_messages", {
    instanceId: settlement.instanceId,
    results: [toResult(settlement)],
    idempotency: kept?.idempotency ?? null,
    response: kept?.idempotency ? writeResponse(kept.response) : null,
  });
}

function toResult(settlement: Settlement): SettledOutcome {
  const { messageId, claimToken, receipt, sealedProviderConfig, calledAfterMs } = settlement;
  const claim = { messageId, claimToken, calledAfterMs };
  switch (receipt.outcome) {
    case "accepted":
      return {
        ...claim,
        outcome: "accepted",
        providerMessageId: receipt.providerMessageId,
        waId: receipt.waId,
        channelStatus: receipt.channelStatus,
      };
    case "rejected":
      return {
        ...claim,
        outcome: "rejected",
        error: { code: receipt.code, message: receipt.message, meaning: receipt.meaning },
        retryable: receipt.retryable,
        retryAfterMs: receipt.retryAfterMs,
        scope: receipt.scope,
        isOutage: receipt.isOutage,
        isUnsent: receipt.isUnsent,
        sealedProviderConfig,
      };
    case "unknown":
      return {
        ...claim,
        outcome: "unknown",
        error: { code: "outcome_unknown", message: receipt.reason },
      };
  }
}
