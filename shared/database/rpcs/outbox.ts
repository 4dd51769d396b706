import type { OutboxKind, OutboxStatus } from "../../model/outbox_kinds.ts";
import type { OutboxRecord } from "../../model/outbox_record.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Rpc } from "./rpc.ts";

export interface OutboxRpcs {
  claim_outbox: Rpc<OutboxClaimRequest, { readonly rows: readonly OutboxRow[] }>;
  settle_outbox: Rpc<SettleOutboxRequest, { readonly status: OutboxStatus | null }>;
  list_outbox: Rpc<
    PageRequest<{ readonly workspaceId?: string; readonly status?: OutboxStatus }>,
    Page<OutboxRecord>
  >;
  /** Null where there is no such row. */
  retry_outbox: Rpc<Once<{ readonly outboxId: string }>, RecordedResult<OutboxRecord> | null>;
}

export interface OutboxClaimRequest {
  readonly kinds: readonly OutboxKind[];
  readonly maxRows: number;
  readonly leaseSeconds: number;
  /** Instances whose rows wait, see `CallsUnderWay`; undefined for none. */
  readonly crowdingInstances?: readonly string[] | undefined;
}

/** Work to do after a request. Its id is the idempotency key for the receiver. */
export interface OutboxRow {
  readonly outboxId: string;
  readonly claimToken: string;
  readonly kind: OutboxKind;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The error of its last attempt; null where there was none. */
  readonly lastError?: string | null;
}

/** The outcome of a delivery: `retry` repeats with backoff, `dead` waits for an operator. */
export type OutboxOutcome =
  | { readonly outcome: "done" }
  | {
    readonly outcome: "retry";
    readonly error: string;
    readonly retryAfterMs?: number | undefined;
  }
  | { readonly outcome: "dead"; readonly error: string };

export type SettleOutboxRequest =
  & { readonly outboxId: string; readonly claimToken: string }
  & OutboxOutcome;
