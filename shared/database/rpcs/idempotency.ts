import type { Rpc } from "./rpc.ts";

/** Calls whose work is not done in the transaction that keeps its outcome. */
export interface IdempotencyRpcs {
  keep_call: Rpc<
    { readonly idempotency: Idempotency; readonly outcome: object },
    RecordedResult<object>
  >;
  recall_call: Rpc<{ readonly idempotency: Idempotency }, Partial<Replayed<object>>>;
}

/** A call's `Idempotency-Key`, as the SQL function `begin_idempotent` takes it. */
export interface Idempotency {
  /** Owner of the key: a client token's id, or `admin`. */
  readonly scope: string;
  readonly key: string;
  /** SHA-256 of path and body. The database rejects the same key with a different hash. */
  readonly fingerprint: string;
}

/** A request that is executed once per `Idempotency-Key`. */
export type Once<Request> = Request & { readonly idempotency: Idempotency | null };

/** The outcome that a function stored under the key of an earlier call. */
export interface Replayed<Outcome> {
  readonly replayed: { readonly outcome: Outcome };
}

/** The result of a function that takes an `Idempotency-Key`: its outcome, or the stored one. */
export type RecordedResult<Outcome> = Outcome | Replayed<Outcome>;

/** A response as the database stores it: its body as text, whose members stay in their order. */
export interface WrittenResponse {
  readonly status: number;
  readonly body: string;
}
