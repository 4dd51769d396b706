import type { Database } from "../database/database.ts";
import type { Idempotency } from "./stored_response.ts";

/** What a writing SQL function decided, now or under the same Idempotency-Key before. */
export interface Recorded<Outcome> {
  readonly outcome: Outcome;
  readonly isReplay: boolean;
}

/** The outcome that such a function kept. */
export interface Replayed<Outcome> {
  readonly replayed: { readonly outcome: Outcome };
}

/** What such a function returns: its outcome, or the one that it kept. */
export type RecordedResult<Outcome> = Outcome | Replayed<Outcome>;

/** Tells what was decided now from what is only remembered. */
export function toRecorded<Outcome extends object>(
  result: RecordedResult<Outcome>,
): Recorded<Outcome> {
  return "replayed" in result
    ? { outcome: result.replayed.outcome, isReplay: true }
    : { outcome: result, isReplay: false };
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
  return toRecorded(await database.rpc<RecordedResult<Outcome>>(name, request));
}
