import type { Database } from "./database/database.ts";
import type { Idempotency } from "./idempotent_response.ts";

/** What a writing SQL function decided, now or under the same Idempotency-Key before. */
export interface Recorded<Outcome> {
  readonly outcome: Outcome;
  readonly isReplay: boolean;
}

/**
 * Calls a SQL function that keeps its outcome under the call's Idempotency-Key, in the transaction
 * that makes it true: a repeat gets the first outcome, and a crash leaves both or neither.
 */
export async function callRecorded<Outcome extends object>(
  database: Database,
  name: string,
  request: Readonly<Record<string, unknown>> & { readonly idempotency: Idempotency | null },
): Promise<Recorded<Outcome>> {
  const result = await database.rpc<Outcome | { replayed: { outcome: Outcome } }>(name, request);
  return "replayed" in result
    ? { outcome: result.replayed.outcome, isReplay: true }
    : { outcome: result, isReplay: false };
}
