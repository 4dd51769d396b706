/** A call's `Idempotency-Key`, as the SQL function `begin_idempotent` takes it. */
export interface Idempotency {
  /** Whose key it is: a client token's id, or `admin`. */
  readonly scope: string;
  readonly key: string;
  /** SHA-256 of path and body: the same key with another of them is refused. */
  readonly fingerprint: string;
}

/** An answer as it is kept and given again. */
export interface StoredResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}
