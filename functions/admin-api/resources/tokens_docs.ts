import { demoInstanceId, demoTokenId } from "../../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../../shared/openapi/operation.ts";
import { pageSchema } from "../../../shared/model/page.ts";
import { adminOperation, exampleInstant } from "./resource_docs.ts";
import {
  createTokenSchema,
  issuedTokenResponseSchema,
  tokenResponseSchema,
  tokensResponseSchema,
} from "./tokens.ts";

const tokenExample = {
  tokenId: demoTokenId,
  instanceId: demoInstanceId,
  label: "CRM",
  scopes: ["send", "history"],
  mcp: { recipients: "known", maxSendsPerHour: 30 },
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  createdAt: exampleInstant,
};

const instanceParameter = {
  id: { description: "`instanceId` of the instance.", example: demoInstanceId },
};

const oneToken = {
  path: "/instances/:id/tokens/:tokenId",
  pathParameters: {
    ...instanceParameter,
    tokenId: { description: "`tokenId` of the token.", example: demoTokenId },
  },
  errors: ["service_unavailable", "Instance not found", "token_not_found"],
} satisfies Partial<Operation>;

export const tokenOperations: readonly Operation[] = [
  {
    ...adminOperation,
    method: "POST",
    path: "/instances/:id/tokens",
    operationId: "createToken",
    summary: "Issue a token for an instance",
    description:
      "The token is valid for this instance only. It is returned once, because only its hash is stored. An instance can have several active tokens, so that a token can be replaced without downtime.\n\n" +
      "`scopes` limits what the token may be used for; without it, the token has every scope. `send`: send-message, send-template-message, process-ai-agent and messages-api. `contacts`, `conversations`, `events`, `media`, `batches`: the function of that name. `history`: messages-context, and reading in messages-api. `erase`: erasing a contact. The export of a contact needs `contacts` and `history`.\n\n" +
      "`mcp` limits what an AI client may send by the token through the function mcp; the other functions ignore it.",
    pathParameters: instanceParameter,
    body: createTokenSchema,
    isIdempotent: true,
    success: {
      status: 201,
      description: "The token. No other response contains it.",
      schema: issuedTokenResponseSchema,
    },
    errors: ["service_unavailable", "Instance not found"],
    examples: [{
      name: "issued",
      summary: "A token for a CRM",
      request: { label: "CRM", scopes: ["send", "history"] },
      response: {
        success: true,
        ...tokenExample,
        token: "mia_k3Vd9yQz1mXw7rTb5nLc2hJf8gPs4aUe6oYi0vKxBqM",
      },
    }],
  },
  {
    ...adminOperation,
    method: "GET",
    path: "/instances/:id/tokens",
    operationId: "listTokens",
    summary: "List the tokens of an instance",
    description: "Pages of tokens without their secret, oldest first, including revoked ones.",
    pathParameters: instanceParameter,
    query: pageSchema,
    success: { description: "A page.", schema: tokensResponseSchema },
    errors: ["service_unavailable", "Instance not found"],
    examples: [{
      name: "page",
      summary: "The first page, which is the last",
      request: { limit: 50 },
      response: { success: true, items: [tokenExample], nextCursor: null },
    }],
  },
  {
    ...adminOperation,
    ...oneToken,
    method: "GET",
    operationId: "getToken",
    summary: "Read a token's record",
    description: "The record of an active or revoked token, without its secret.",
    success: { description: "The token.", schema: tokenResponseSchema },
    examples: [{
      name: "token",
      summary: "An active token",
      response: { success: true, ...tokenExample },
    }],
  },
  {
    ...adminOperation,
    ...oneToken,
    method: "DELETE",
    operationId: "revokeToken",
    summary: "Revoke a token",
    description:
      "The token becomes invalid immediately. Revoking it again returns the same response.",
    success: { description: "The revoked token.", schema: tokenResponseSchema },
    examples: [{
      name: "revoked",
      summary: "A revoked token",
      response: { success: true, ...tokenExample, revokedAt: "2026-11-23T14:00:00.000Z" },
    }],
  },
];
