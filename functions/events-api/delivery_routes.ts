import type { Database } from "../../shared/database/database.ts";
import { answerJson } from "../../shared/http/answer.ts";
import {
  type ClientContext,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import type { ClientRoute } from "../../shared/http/client_routes.ts";
import { readPageUpTo } from "../../shared/http/page.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { callRecorded } from "../../shared/idempotency/recorded_call.ts";
import { AppError } from "../../shared/model/errors.ts";
import { checkPeriod } from "../../shared/model/page.ts";
import { idSchema } from "../../shared/model/request_fields.ts";
import { announceEvents } from "../../shared/runtime/event_announcement.ts";
import {
  deliveriesResponseSchema,
  deliveryPageEndSchema,
  deliveryResponseSchema,
  instanceOnlySchema,
  listDeliveriesSchema,
  replayResponseSchema,
  replaySchema,
} from "./endpoint_contract.ts";
import { readEndpointTarget } from "./endpoint_routes.ts";

export interface DeliveryServices {
  readonly database: Database;
}

/** What clients do with what was sent to webhook endpoints: list it, and send it again. */
export const deliveryOperations: readonly ClientRoute<DeliveryServices>[] = [
  {
    method: "GET",
    path: "/endpoints/:id/deliveries",
    query: listDeliveriesSchema,
    handle: list,
  },
  { method: "POST", path: "/endpoints/:id/replay", handle: replay },
  {
    method: "POST",
    path: "/deliveries/:id/resend",
    query: instanceOnlySchema,
    hasBody: "optional",
    handle: resend,
  },
];

async function list({ database }: DeliveryServices, context: ClientContext): Promise<Response> {
  const { limit, cursor, status = null } = validate(listDeliveriesSchema, context.req.query());
  const page = await readPageUpTo(
    deliveryPageEndSchema,
    "deliveries",
    { ...readEndpointTarget(context), status, limit, cursor },
    (request) => database.rpc("list_event_deliveries", request),
  );
  return answerJson(context, deliveriesResponseSchema, { success: true, ...page });
}

async function resend({ database }: DeliveryServices, context: ClientContext): Promise<Response> {
  validateBody(context, instanceOnlySchema, context.get("body"));
  const { instanceId } = requireInstance(context);
  const deliveryId = idSchema.safeParse(context.req.param("id"));
  if (!deliveryId.success) throw new AppError("delivery_not_found");
  const idempotency = await readClientIdempotency(context);
  const request = { instanceId, deliveryId: deliveryId.data, idempotency };
  const resent = await callRecorded(database, "resend_event_delivery", request);
  announceEvents();
  return answerRecorded(context, deliveryResponseSchema, resent);
}

async function replay({ database }: DeliveryServices, context: ClientContext): Promise<Response> {
  const { since, until = null, types = null } = validateBody(
    context,
    replaySchema,
    context.get("body"),
    checkPeriod,
  );
  const idempotency = await readClientIdempotency(context);
  const request = { ...readEndpointTarget(context), since, until, types, idempotency };
  const replayed = await callRecorded(database, "replay_events", request);
  announceEvents();
  return answerRecorded(context, replayResponseSchema, replayed, 202);
}
