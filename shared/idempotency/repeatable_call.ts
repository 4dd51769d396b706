import type { Database } from "../database/database.ts";
import type { Idempotency } from "../database/rpcs/idempotency.ts";
import { type Recorded, toRecorded } from "./recorded_call.ts";

interface RepeatableCall<Outcome> {
  readonly database: Database;
  /** Null for a call without a key: nothing is kept. */
  readonly idempotency: Idempotency | null;
  readonly execute: () => Promise<Outcome>;
  /** Whether a repeated call gets this outcome again, and is not executed. Default: always. */
  readonly isKept?: (outcome: Outcome) => boolean;
}

/**
 * Executes a call whose work is not done in one transaction, such as asking a channel, and keeps its outcome
 * under the call's `Idempotency-Key`: a repeated call gets the first outcome. Only for work that may be done
 * twice: it is, where a process ends in between or two calls with the same key come together.
 *
 * @throws what `execute` throws, which is not kept; {AppError} `idempotency_key_reused`, `contact_erased`.
 */
export async function executeRepeatable<Outcome extends object>(
  { database, idempotency, execute, isKept = () => true }: RepeatableCall<Outcome>,
): Promise<Recorded<Outcome>> {
  if (idempotency === null) return { outcome: await execute(), isReplay: false };
  const known = await database.rpc("recall_call", { idempotency });
  if (known.replayed !== undefined) {
    return { outcome: known.replayed.outcome as Outcome, isReplay: true };
  }
  const outcome = await execute();
  if (!isKept(outcome)) return { outcome, isReplay: false };
  return toRecorded(await database.rpc("keep_call", { idempotency, outcome })) as Recorded<Outcome>;
}
