import { AppError } from "../model/errors.ts";
import { Semaphore } from "../runtime/semaphore.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import type { Database } from "./database.ts";

/** The first calls of requests. Rejecting one leaves no request partly executed. */
const sheddableRpcs: ReadonlySet<RpcName> = new Set([
  "authenticate_client",
  "find_webhook_instance",
  "record_provider_events",
]);

/** Concurrent calls that the database completes in some tenths of a second. */
const maxCallsInProgress = 100;

/**
 * How long a new request waits for its turn. It suffices for a burst of some thousand requests, and
 * it is shorter than the time-outs of callers. Rejecting earlier invites immediate retries, which
 * cost more than queueing.
 */
const maxWaitMs = 2_000;

/**
 * Limits the number of concurrent calls. Beyond the limit new requests queue, and fail with
 * `service_unavailable` on time-out. The further calls of a request bypass the limit, so that every
 * started request finishes.
 */
export function shedLoad(
  database: Database,
  { maxCalls = maxCallsInProgress, waitMs = maxWaitMs } = {},
): Database {
  const permits = new Semaphore(maxCalls);
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      if (!isFirstCall(name, request)) permits.forceAcquire();
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

/** Whether a call is the first of its request, also because it authenticates the request itself. */
function isFirstCall(name: RpcName, request: object): boolean {
  return sheddableRpcs.has(name) ||
    (request as { readonly authentication?: unknown }).authentication !== undefined;
}

function tooManyRequests(): AppError {
  return new AppError("service_unavailable", {
    message: "The service is overloaded; try again in a moment.",
  });
}
