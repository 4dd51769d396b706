import type { Database } from "../../shared/database/database.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import type { EndpointTarget } from "../../shared/database/rpcs/webhooks.ts";
import type { TestOutcome } from "../../shared/model/endpoint_record.ts";
import type { DeliverEvent } from "../../shared/events/deliver_event.ts";
import { callRecorded, type Recorded } from "../../shared/idempotency/recorded_call.ts";

export interface TestServices {
  readonly database: Database;
  readonly deliverEvent: DeliverEvent;
}

/**
 * Records `endpoint.test` and sends it to the endpoint at once, active or not, once. The delivery is
 * stored with its outcome, and never tried again.
 *
 * @throws {AppError} `endpoint_not_found`.
 */
export async function sendTestEvent(
  { database, deliverEvent }: TestServices,
  target: EndpointTarget,
  idempotency: Idempotency | null,
): Promise<Recorded<TestOutcome>> {
  const begun = await database.rpc("begin_endpoint_test", { ...target, idempotency });
  if ("replayed" in begun) return { outcome: begun.replayed.outcome, isReplay: true };
  const result = await deliverEvent(begun, begun.target);
  return await callRecorded(database, "finish_endpoint_test", {
    ...target,
    sequence: begun.sequence,
    result,
    idempotency,
  });
}
