/** A call's `Idempotency-Key`, as the SQL function `begin_idempotent` takes it. */
export interface Idempotency {
  /** Whose key it is: a client token's id, or `admin`. */
  readonly scope: string;
  readonly key: string;
  /** SHA-256 of path and body: the same key with another of them is refused. */
  readonly fingerprint: string;
}

/** An answer that is kept and given again. */
export interface StoredResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A response as the database keeps it: its body as text, whose members stay in their order. */
export interface WrittenResponse {
  readonly status: number;
  readonly body: string;
}

/** A response for keeping. */
export function writeResponse({ status, body }: StoredResponse): WrittenResponse {
  return { status, body: JSON.stringify(body) };
}

/** The response as it was given the first time. */
export function readResponse({ status, body }: WrittenResponse): StoredResponse {
  return { status, body: JSON.parse(body) };
}
