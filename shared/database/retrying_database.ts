import type { Database } from "./database.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { isWorthRepeating } from "./sqlstates.ts";

/** Two that met once seldom meet again; of many some meet twice. */
const maxTries = 5;

/**
 * A database that makes a call again when its transaction was rolled back in favour of another: a
 * provider's event that is refused may never come again.
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

/** Some milliseconds, other ones for each: those that met must not meet again. */
function pause(tries: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** tries));
}
