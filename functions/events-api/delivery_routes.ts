import type { Database } from "../../shared/database/database.ts";
import { answerJson } from "../../shared/http/answer.ts";
import {
  type ClientContext,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { readPageUpTo } from "../../shared/http/page.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { callRecorded } from "../../shared/idempotency/recorded_call.ts";
import { AppError } from "../../shared/model/errors.ts";
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
import { type ClientGuards, readEndpointTarget } from "./endpoint_routes.ts";

/** The routes of what was sent to webhook endpoints, and of sending it again. */
export function createDeliveryRoutes(
  { database }: { readonly database: Database },
  { required, optional }: ClientGuards,
): Route[] {
  const list = async (context: ClientContext): Promise<Response> => {
    const { limit, cursor, status = null } = validate(listDeliveriesSchema, context.req.query());
    const page = await readPageUpTo(
      deliveryPageEndSchema,
      "deliveries",
      { ...readEndpointTarget(context), status, limit, cursor },
      (request) => database.rpc("list_event_deliveries", request),
    );
    return answerJson(context, deliveriesResponseSchema, { success: true, ...page });
  };

  const resend = async (context: ClientContext): Promise<Response> => {
    validateBody(context, instanceOnlySchema, context.get("body"));
    const { instanceId } = requireInstance(context);
    const deliveryId = idSchema.safeParse(context.req.param("id"));
    if (!deliveryId.success) throw new AppError("delivery_not_found");
    const idempotency = await readClientIdempotency(context);
    const request = { instanceId, deliveryId: deliveryId.data, idempotency };
    const resent = await callRecorded(database, "resend_event_delivery", request);
    announceEvents();
    return answerRecorded(context, deliveryResponseSchema, resent);
  };

  const replay = async (context: ClientContext): Promise<Response> => {
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
  };

  return [
    {
      method: "GET",
      path: "/endpoints/:id/deliveries",
      query: listDeliveriesSchema,
      handlers: [required, list],
    },
    { method: "POST", path: "/endpoints/:id/replay", handlers: [required, replay] },
    {
      method: "POST",
      path: "/deliveries/:id/resend",
      query: instanceOnlySchema,
      handlers: [optional, resend],
    },
  ];
}

function checkPeriod(
  { since, until }: Readonly<Record<string, unknown>>,
): { path: string; message: string }[] {
  if (typeof since !== "string" || typeof until !== "string") return [];
  return Date.parse(until) < Date.parse(since)
    ? [{ path: "until", message: "must not be before since" }]
    : [];
}
