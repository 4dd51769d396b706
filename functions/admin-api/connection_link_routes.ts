import { answerJson } from "../../shared/http/answer.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { readOptionalJsonBody } from "../../shared/http/json_body.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validateBody } from "../../shared/http/validate.ts";
import { type ConnectionLinkServices, createConnectionLink } from "./connection_links.ts";
import { type AdminContext, readAdminIdempotency, requireId } from "./http_exchange.ts";
import { requireInstanceId } from "./instance_reference.ts";
import {
  connectionLinkResponseSchema,
  createConnectionLinkSchema,
  createdLinkResponseSchema,
} from "./resources/connection_link.ts";

/** Routes to make and revoke links to the page that connects an instance's phone. */
export function createConnectionLinkRoutes(services: ConnectionLinkServices): Route[] {
  const { database } = services;

  const create = async (context: AdminContext): Promise<Response> => {
    const instanceId = await requireInstanceId(context, database);
    const body = await readOptionalJsonBody(context) ?? {};
    const request = validateBody(context, createConnectionLinkSchema, body);
    const idempotency = await readAdminIdempotency(context, body);
    const created = await createConnectionLink(services, instanceId, request, idempotency);
    return answerRecorded(context, createdLinkResponseSchema, created, 201);
  };

  const revoke = async (context: AdminContext): Promise<Response> => {
    const target = {
      instanceId: await requireInstanceId(context, database),
      linkId: requireId(context, "linkId", "connection_link_not_found"),
    };
    const record = await database.rpc("revoke_connection_link", target);
    return answerJson(context, connectionLinkResponseSchema, { success: true, ...record });
  };

  const path = "/instances/:id/connection-link";
  return [
    { method: "POST", path, handlers: [create] },
    { method: "DELETE", path: `${path}/:linkId`, handlers: [revoke] },
  ];
}
