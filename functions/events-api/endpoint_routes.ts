import { answerJson } from "../../shared/http/answer.ts";
import {
  type ClientContext,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import type { ClientRoute } from "../../shared/http/client_routes.ts";
import { readPage } from "../../shared/http/page.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { AppError } from "../../shared/model/errors.ts";
import { idSchema } from "../../shared/model/request_fields.ts";
import type { EndpointTarget } from "../../shared/database/rpcs/webhooks.ts";
import {
  createEndpointSchema,
  createUrlCheck,
  endpointResponseSchema,
  endpointSecretResponseSchema,
  endpointsResponseSchema,
  instanceOnlySchema,
  listEndpointsSchema,
  rotateSecretSchema,
  testResponseSchema,
  updateEndpointSchema,
} from "./endpoint_contract.ts";
import { createEndpoint, rotateSecret, type SecretServices } from "./endpoint_secrets.ts";
import { sendTestEvent, type TestServices } from "./send_test_event.ts";

export type EndpointServices = SecretServices & TestServices & {
  readonly allowsPrivateHosts: boolean;
};

/** What clients do with webhook endpoints. */
export const endpointOperations: readonly ClientRoute<EndpointServices>[] = [
  { method: "POST", path: "/endpoints", handle: create },
  { method: "GET", path: "/endpoints", query: listEndpointsSchema, handle: list },
  { method: "GET", path: "/endpoints/:id", query: instanceOnlySchema, handle: get },
  { method: "PATCH", path: "/endpoints/:id", handle: update },
  { method: "DELETE", path: "/endpoints/:id", query: instanceOnlySchema, handle: remove },
  {
    method: "POST",
    path: "/endpoints/:id/rotate-secret",
    query: instanceOnlySchema,
    hasBody: "optional",
    handle: rotate,
  },
  {
    method: "POST",
    path: "/endpoints/:id/test",
    query: instanceOnlySchema,
    hasBody: "optional",
    handle: test,
  },
];

async function create(services: EndpointServices, context: ClientContext): Promise<Response> {
  const { instanceId: _named, ...body } = validateBody(
    context,
    createEndpointSchema,
    context.get("body"),
    createUrlCheck(services.allowsPrivateHosts),
  );
  const { instanceId } = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  const { url, types = null, description = null } = body;
  const request = { instanceId, url, types, description: description || null };
  const created = await createEndpoint(services, request, idempotency);
  return answerRecorded(context, endpointSecretResponseSchema, created, 201);
}

async function list({ database }: EndpointServices, context: ClientContext): Promise<Response> {
  const { limit, cursor } = validate(listEndpointsSchema, context.req.query());
  const { instanceId } = requireInstance(context);
  const page = await readPage(
    "endpoints",
    { instanceId, limit, cursor },
    (request) => database.rpc("list_event_endpoints", request),
  );
  return answerJson(context, endpointsResponseSchema, { success: true, ...page });
}

async function get({ database }: EndpointServices, context: ClientContext): Promise<Response> {
  validate(instanceOnlySchema, context.req.query());
  const endpoint = await database.rpc("get_event_endpoint", readEndpointTarget(context));
  return answerJson(context, endpointResponseSchema, { success: true, ...endpoint });
}

async function remove({ database }: EndpointServices, context: ClientContext): Promise<Response> {
  validate(instanceOnlySchema, context.req.query());
  const endpoint = await database.rpc("delete_event_endpoint", readEndpointTarget(context));
  return answerJson(context, endpointResponseSchema, { success: true, ...endpoint });
}

async function update(services: EndpointServices, context: ClientContext): Promise<Response> {
  const { instanceId: _named, ...changes } = validateBody(
    context,
    updateEndpointSchema,
    context.get("body"),
    createUrlCheck(services.allowsPrivateHosts),
  );
  const target = readEndpointTarget(context);
  const endpoint = await services.database.rpc("update_event_endpoint", { ...target, changes });
  return answerJson(context, endpointResponseSchema, { success: true, ...endpoint });
}

async function rotate(services: EndpointServices, context: ClientContext): Promise<Response> {
  const { gracePeriodSeconds } = validateBody(context, rotateSecretSchema, context.get("body"));
  const request = { ...readEndpointTarget(context), gracePeriodSeconds };
  const rotated = await rotateSecret(services, request, await readClientIdempotency(context));
  return answerRecorded(context, endpointSecretResponseSchema, rotated);
}

async function test(services: EndpointServices, context: ClientContext): Promise<Response> {
  validateBody(context, instanceOnlySchema, context.get("body"));
  const target = readEndpointTarget(context);
  const tested = await sendTestEvent(services, target, await readClientIdempotency(context));
  return answerRecorded(context, testResponseSchema, tested);
}

/** Returns the endpoint of the path. Call it after validation, like `requireInstance`. */
export function readEndpointTarget(context: ClientContext): EndpointTarget {
  const { instanceId } = requireInstance(context);
  const endpointId = idSchema.safeParse(context.req.param("id"));
  if (!endpointId.success) throw new AppError("endpoint_not_found");
  return { instanceId, endpointId: endpointId.data };
}
