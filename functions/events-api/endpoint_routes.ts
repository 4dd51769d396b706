import type { MiddlewareHandler } from "hono";
import { answerJson } from "../../shared/http/answer.ts";
import {
  type ClientContext,
  type ClientVariables,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import type { Route } from "../../shared/http/create_app.ts";
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

export type ClientGuard = MiddlewareHandler<{ Variables: ClientVariables }>;

/** Authenticates clients. `optional` is for a POST whose body may be missing. */
export interface ClientGuards {
  readonly required: ClientGuard;
  readonly optional: ClientGuard;
}

/** Returns the endpoint of the path. Call it after validation, like `requireInstance`. */
export function readEndpointTarget(context: ClientContext): EndpointTarget {
  const { instanceId } = requireInstance(context);
  const endpointId = idSchema.safeParse(context.req.param("id"));
  if (!endpointId.success) throw new AppError("endpoint_not_found");
  return { instanceId, endpointId: endpointId.data };
}

/** The routes of webhook endpoints. */
export function createEndpointRoutes(
  services: EndpointServices,
  { required, optional }: ClientGuards,
): Route[] {
  const { database } = services;
  const checkUrl = createUrlCheck(services.allowsPrivateHosts);

  const create = async (context: ClientContext): Promise<Response> => {
    const { instanceId: _named, ...body } = validateBody(
      context,
      createEndpointSchema,
      context.get("body"),
      checkUrl,
    );
    const { instanceId } = requireInstance(context);
    const idempotency = await readClientIdempotency(context);
    const { url, types = null, description = null } = body;
    const request = { instanceId, url, types, description: description || null };
    const created = await createEndpoint(services, request, idempotency);
    return answerRecorded(context, endpointSecretResponseSchema, created, 201);
  };

  const list = async (context: ClientContext): Promise<Response> => {
    const { limit, cursor } = validate(listEndpointsSchema, context.req.query());
    const { instanceId } = requireInstance(context);
    const page = await readPage(
      "endpoints",
      { instanceId, limit, cursor },
      (request) => database.rpc("list_event_endpoints", request),
    );
    return answerJson(context, endpointsResponseSchema, { success: true, ...page });
  };

  const answerOne =
    (rpcName: "get_event_endpoint" | "delete_event_endpoint") =>
    async (context: ClientContext): Promise<Response> => {
      validate(instanceOnlySchema, context.req.query());
      const endpoint = await database.rpc(rpcName, readEndpointTarget(context));
      return answerJson(context, endpointResponseSchema, { success: true, ...endpoint });
    };

  const update = async (context: ClientContext): Promise<Response> => {
    const { instanceId: _named, ...changes } = validateBody(
      context,
      updateEndpointSchema,
      context.get("body"),
      checkUrl,
    );
    const target = readEndpointTarget(context);
    const endpoint = await database.rpc("update_event_endpoint", { ...target, changes });
    return answerJson(context, endpointResponseSchema, { success: true, ...endpoint });
  };

  const rotate = async (context: ClientContext): Promise<Response> => {
    const { gracePeriodSeconds } = validateBody(context, rotateSecretSchema, context.get("body"));
    const request = { ...readEndpointTarget(context), gracePeriodSeconds };
    const rotated = await rotateSecret(services, request, await readClientIdempotency(context));
    return answerRecorded(context, endpointSecretResponseSchema, rotated);
  };

  const test = async (context: ClientContext): Promise<Response> => {
    validateBody(context, instanceOnlySchema, context.get("body"));
    const target = readEndpointTarget(context);
    const tested = await sendTestEvent(services, target, await readClientIdempotency(context));
    return answerRecorded(context, testResponseSchema, tested);
  };

  return [
    { method: "POST", path: "/endpoints", handlers: [required, create] },
    { method: "GET", path: "/endpoints", query: listEndpointsSchema, handlers: [required, list] },
    {
      method: "GET",
      path: "/endpoints/:id",
      query: instanceOnlySchema,
      handlers: [required, answerOne("get_event_endpoint")],
    },
    { method: "PATCH", path: "/endpoints/:id", handlers: [required, update] },
    {
      method: "DELETE",
      path: "/endpoints/:id",
      query: instanceOnlySchema,
      handlers: [required, answerOne("delete_event_endpoint")],
    },
    {
      method: "POST",
      path: "/endpoints/:id/rotate-secret",
      query: instanceOnlySchema,
      handlers: [optional, rotate],
    },
    {
      method: "POST",
      path: "/endpoints/:id/test",
      query: instanceOnlySchema,
      handlers: [optional, test],
    },
  ];
}
