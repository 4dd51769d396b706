import { refuseOverload } from "../model/errors.ts";
import { loadCounters } from "../runtime/load_counters.ts";
import { Semaphore } from "../runtime/semaphore.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import type { Database } from "./database.ts";
import { findTenant, TenantCalls } from "./tenant_calls.ts";

/** The first calls of requests. Rejecting one leaves no request partly executed. */
const sheddableRpcs: ReadonlySet<RpcName> = new Set([
  "authenticate_client",
  "find_webhook_instance",
  "record_provider_events",
]);

/** Concurrent calls that the database completes in some tenths of a second. */
const maxCallsInProgress = 100;

/** A tenant's part of them: one that waits for its own locks leaves the others their places. */
const maxTenantCalls = 50;

/**
 * How long a new request waits for its turn. It suffices for a burst of some thousand requests, and
 * it is shorter than the time-outs of callers. Rejecting earlier invites immediate retries, which
 * cost more than queueing.
 */
const maxWaitMs = 2_000;

/**
 * Limits the number of concurrent calls, of all tenants and of each. Beyond the limit new requests queue,
 * and fail with `service_unavailable` on time-out. The further calls of a request bypass the limit, so
 * that every started request finishes.
 */
export function shedLoad(
  database: Database,
  { maxCalls = maxCallsInProgress, maxCallsOfTenant = maxTenantCalls, waitMs = maxWaitMs } = {},
): Database {
  const permits = new Semaphore(maxCalls);
  const tenants = new TenantCalls({ maxCalls: maxCallsOfTenant, waitMs, slowAfterMs: Infinity });
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      const isFirst = isFirstCall(name, request);
      return await tenants.run(findTenant(request), async () => {
        if (!isFirst) permits.forceAcquire();
        else if (!await permits.acquire(waitMs)) {
          loadCounters.count("overload_refused");
          throw refuseOverload();
        }
        try {
          return await database.rpc(name, request);
        } finally {
          permits.release();
        }
      }, { isForced: !isFirst });
    },
    close: () => database.close(),
  };
}

/** Whether a call is the first of its request, also because it authenticates the request itself. */
function isFirstCall(name: RpcName, request: object): boolean {
  return sheddableRpcs.has(name) ||
    (request as { readonly authentication?: unknown }).authentication !== undefined;
}
