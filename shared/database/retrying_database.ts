import type { Database } from "./database.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { awaitsSchemaReload, isRetryable } from "./sqlstates.ts";

/** Two transactions rarely conflict twice. Among many concurrent transactions some do. */
const maxTries = 5;
/** The first pause is up to twice as long, each further one up to twice as long as the one before. */
const conflictPauseMs = 20;
/**
 * PostgREST knows a new function 0.25 to 0.92 s after the commit that created it. The four pauses take
 * 1.05 s at least.
 */
const reloadPauseMs = 70;

/**
 * Retries a call, after a pause, whose transaction was rolled back because of a conflict with another one,
 * or with an upgrade. Without the retry an event could be lost, because a provider may never repeat a rejected
 * event.
 */
export function retryOnConflict(database: Database): Database {
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      for (let tries = 1;; tries++) {
        try {
          return await database.rpc(name, request);
        } catch (error) {
          if (!isRetryable(error) || tries === maxTries) throw error;
          await pause(choosePause(error) * 2 ** tries);
        }
      }
    },
    close: () => database.close(),
  };
}

/** Random, so that two calls that conflicted do not retry at the same time. */
function choosePause(error: unknown): number {
  return awaitsSchemaReload(error)
    ? reloadPauseMs * (1 + Math.random()) / 2
    : conflictPauseMs * Math.random();
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
