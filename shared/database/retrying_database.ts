import type { Database } from "./database.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { isWorthRepeating } from "./sqlstates.ts";

/** Two transactions seldom conflict twice; of many concurrent ones some do. */
const maxTries = 5;

/**
 * A database that retries a call whose transaction was rolled back in favour of another one. A provider
 * may never repeat an event that was rejected.
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
          if (!isWorthRepeating(error) || tries === maxTries) throw error;
          await pause(tries);
        }
      }
    },
    close: () => database.close(),
  };
}

/** Random, so that calls that conflicted do not conflict again. */
function pause(tries: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** tries));
}
