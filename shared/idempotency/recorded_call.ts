import type { Database } from "../database/database.ts";
import type { RequestOf, ResultOf, RpcName } from "../database/rpcs.ts";
import type { RecordedResult, Replayed } from "../database/rpcs/idempotency.ts";

/** The outcome of a call, or of an earlier call with the same Idempotency-Key. */
export interface Recorded<Outcome> {
  readonly outcome: Outcome;
  readonly isReplay: boolean;
}

/** Distinguishes a new outcome from a stored one. */
export function toRecorded<Outcome extends object>(
  result: RecordedResult<Outcome>,
): Recorded<Outcome> {
  return "replayed" in result
    ? { outcome: result.replayed.outcome, isReplay: true }
    : { outcome: result, isReplay: false };
}

/** The outcome of a function that stores it under the call's Idempotency-Key. */
type OutcomeOf<Name extends RpcName> = Exclude<ResultOf<Name>, Replayed<unknown>>;

/** The functions that store their outcome, and always have one. */
type RecordedRpc = {
  [Name in RpcName]: [Extract<ResultOf<Name>, Replayed<unknown>>] extends [never] ? never
    : null extends ResultOf<Name> ? never
    : Name;
}[RpcName];

/**
 * Calls a SQL function that stores its outcome under the call's Idempotency-Key in the same
 * transaction: a repeated call returns the first outcome, and a crash leaves both or neither.
 */
export async function callRecorded<Name extends RecordedRpc>(
  database: Database,
  name: Name,
  request: RequestOf<Name>,
): Promise<Recorded<OutcomeOf<Name>>> {
  const result: object = await database.rpc(name, request);
  return toRecorded(result as RecordedResult<OutcomeOf<Name>>);
}
