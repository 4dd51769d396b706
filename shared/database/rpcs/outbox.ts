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

/** Kinds of rows. Each kind is claimed separately, so that a slow kind delays no other. */
export type OutboxKind =
  | "assignment_email"
  | "endpoint_disabled_email"
  | "instance_disconnected_email"
  | "instance_held_email"
  | "batch_paused_email"
  | "budget_email"
  | "agent_reply"
  | "media_fetch"
  | "media_delete"
  | "media_transcription"
  | "read_receipt";

export type OutboxStatus = "pending" | "done" | "dead";

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

/** A row as an administrator sees it. */
export interface OutboxRecord {
  readonly outboxId: string;
  readonly workspaceId: string;
  readonly instanceId: string | null;
  readonly kind: OutboxKind;
  readonly status: OutboxStatus;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly runAt: string;
  readonly createdAt: string;
  readonly settledAt: string | null;
}
