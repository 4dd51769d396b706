import { AppError } from "../model/errors.ts";
import { Semaphore } from "../runtime/semaphore.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import type { Database } from "./database.ts";

/** The first call of every request that others pay for: refusing it costs the caller nothing. */
const sheddableRpcs: ReadonlySet<RpcName> = new Set([
  "authenticate_client",
  "find_webhook_instance",
  "record_provider_events",
]);

/** Some tenths of a second of work. */
const maxCallsUnderWay = 100;

/**
 * How long a new request waits for its turn: long enough for a burst of some thousand, short enough
 * that its caller has not given up. Nobody is refused sooner, or who comes straight back would cost
 * the others more time than being served.
 */
const maxWaitMs = 2_000;

/**
 * A database with a bounded number of calls under way. Beyond it new requests wait in line, and whose
 * turn does not come in time hears `service_unavailable`. Calls of requests that were begun are
 * always let through: what was accepted is finished.
 */
export function shedLoad(
  database: Database,
  { maxCalls = maxCallsUnderWay, waitMs = maxWaitMs } = {},
): Database {
  const permits = new Semaphore(maxCalls);
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      if (!sheddableRpcs.has(name)) permits.forceAcquire();
      else if (!await permits.acquire(waitMs)) throw tooManyRequests();
      try {
        return await database.rpc(name, request);
      } finally {
        permits.release();
      }
    },
    close: () => database.close(),
  };
}

function tooManyRequests(): AppError {
  return new AppError("service_unavailable", {
    message: "The service has more requests than it can take; try again in a moment.",
  });
}
