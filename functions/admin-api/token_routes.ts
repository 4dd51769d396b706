import { answerJson } from "../../shared/http/answer.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { readJsonBody } from "../../shared/http/json_body.ts";
import { readPage } from "../../shared/http/page.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { pageSchema } from "../../shared/model/page.ts";
import { issueClientToken } from "./client_tokens.ts";
import { type AdminContext, readAdminIdempotency, requireId } from "./http_exchange.ts";
import { requireInstanceId } from "./instance_reference.ts";
import type { InstanceServices } from "./instances.ts";
import {
  createTokenSchema,
  issuedTokenResponseSchema,
  tokenResponseSchema,
  tokensResponseSchema,
} from "./resources/tokens.ts";

/** Routes to issue, list (without the secret) and revoke the tokens of an instance. */
export function createTokenRoutes(services: InstanceServices): Route[] {
  const { database } = services;

  const issue = async (context: AdminContext): Promise<Response> => {
    const instanceId = await requireInstanceId(context, database);
    const body = await readJsonBody(context);
    const request = validateBody(context, createTokenSchema, body);
    const idempotency = await readAdminIdempotency(context, body);
    const issued = await issueClientToken(services, instanceId, request, idempotency);
    return answerRecorded(context, issuedTokenResponseSchema, issued, 201);
  };

  const listPage = async (context: AdminContext): Promise<Response> => {
    const instanceId = await requireInstanceId(context, database);
    const query = validate(pageSchema, context.req.query());
    const page = await readPage(
      "tokens",
      { ...query, instanceId },
      (request) => database.rpc("list_client_tokens", request),
    );
    return answerJson(context, tokensResponseSchema, { success: true, ...page });
  };

  const answerOne =
    (rpcName: "get_client_token" | "revoke_client_token") =>
    async (context: AdminContext): Promise<Response> => {
      const target = {
        instanceId: await requireInstanceId(context, database),
        tokenId: requireId(context, "tokenId", "token_not_found"),
      };
      const record = await database.rpc(rpcName, target);
      return answerJson(context, tokenResponseSchema, { success: true, ...record });
    };

  return [
    { method: "POST", path: "/instances/:id/tokens", handlers: [issue] },
    { method: "GET", path: "/instances/:id/tokens", query: pageSchema, handlers: [listPage] },
    {
      method: "GET",
      path: "/instances/:id/tokens/:tokenId",
      handlers: [answerOne("get_client_token")],
    },
    {
      method: "DELETE",
      path: "/instances/:id/tokens/:tokenId",
      handlers: [answerOne("revoke_client_token")],
    },
  ];
}
