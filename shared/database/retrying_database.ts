import type { Database } from "./database.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { isRetryable } from "./sqlstates.ts";

/** Two transactions rarely conflict twice. Among many concurrent transactions some do. */
const maxTries = 5;

/**
 * Retries a call whose transaction was rolled back because of a conflict with another one, or with an
 * upgrade. Without the retry an event could be lost, because a provider may never repeat a rejected
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
          await pause(tries);
        }
      }
    },
    close: () => database.close(),
  };
}

/** Random, so that two calls that conflicted do not retry at the same time. */
function pause(tries: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** tries));
}
