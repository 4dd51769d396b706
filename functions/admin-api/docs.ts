import * as z from "zod";
import {
  demoInstanceId,
  demoOfficialInstanceId,
  demoOutboxId,
  demoTemplateId,
  demoTokenId,
} from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import { successField } from "../../shared/openapi/response_fields.ts";
import { outboxPageSchema, pageSchema } from "./contract.ts";
import { outboxExample, tokenExample } from "./record_examples.ts";
import { recordDescriptions } from "./record_descriptions.ts";
import { toOperations } from "./record_docs.ts";
import { outboxFields, pageAnswer, recordAnswer, tokenFields } from "./record_schemas.ts";
import { createTokenSchema } from "./token_contract.ts";

const manners = { tag: "Administration", access: "secretKey" } as const;

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

const tokenOperations: readonly Operation[] = [
  {
    ...manners,
    method: "POST",
    path: "/instances/:id/tokens",
    operationId: "createToken",
    summary: "Issue a token of an instance",
    description:
      "The token opens exactly this instance and is shown once: only its hash is kept. An instance may have several live tokens, so that one can be replaced without downtime.",
    pathParameters: instanceParameter,
    body: createTokenSchema,
    isIdempotent: true,
    success: {
      status: 201,
      description: "The token, this once.",
      schema: recordAnswer({ ...tokenFields, token: z.string() }),
    },
    errors: ["service_unavailable", "Instance not found"],
    examples: [{
      name: "issued",
      summary: "A token for a CRM",
      request: { label: "CRM" },
      response: {
        success: true,
        ...tokenExample,
        token: "mia_k3Vd9yQz1mXw7rTb5nLc2hJf8gPs4aUe6oYi0vKxBqM",
      },
    }],
  },
  {
    ...manners,
    method: "GET",
    path: "/instances/:id/tokens",
    operationId: "listTokens",
    summary: "List the tokens of an instance",
    description: "Pages of tokens without their secret, oldest first, the revoked ones included.",
    pathParameters: instanceParameter,
    query: pageSchema,
    success: { description: "A page.", schema: pageAnswer(tokenFields) },
    errors: ["service_unavailable", "Instance not found"],
    examples: [{
      name: "page",
      summary: "The first page, which is the last",
      request: { limit: 50 },
      response: { success: true, items: [tokenExample], nextCursor: null },
    }],
  },
  {
    ...manners,
    ...oneToken,
    method: "GET",
    operationId: "getToken",
    summary: "Read a token's record",
    description: "The record of a token, revoked or not, without its secret.",
    success: { description: "The token.", schema: recordAnswer(tokenFields) },
    examples: [{
      name: "token",
      summary: "A live token",
      response: { success: true, ...tokenExample },
    }],
  },
  {
    ...manners,
    ...oneToken,
    method: "DELETE",
    operationId: "revokeToken",
    summary: "Revoke a token",
    description: "From now on the token opens nothing. Revoking twice answers the same.",
    success: { description: "The revoked token.", schema: recordAnswer(tokenFields) },
    examples: [{
      name: "revoked",
      summary: "A revoked token",
      response: { success: true, ...tokenExample, revokedAt: "2026-11-23T14:00:00.000+00:00" },
    }],
  },
];

const countSchema = z.int().min(0);

const syncOperation: Operation = {
  ...manners,
  method: "POST",
  path: "/instances/:id/templates/sync",
  operationId: "syncTemplates",
  summary: "Read an instance's templates from the official channel",
  description:
    "Makes the stored templates what the channel's provider says they are: name, language, components, format and status. Templates that it lists no more stay, with the status `DELETED`. The instance's configuration needs a `wabaId`. The request has no body.",
  pathParameters: {
    id: { description: "`instanceId` of the instance.", example: demoOfficialInstanceId },
  },
  isIdempotent: true,
  success: {
    description: "What changed.",
    schema: recordAnswer({
      instanceId: z.uuid(),
      created: countSchema,
      updated: countSchema,
      unchanged: countSchema,
      deleted: countSchema,
      items: z.array(z.object({
        templateId: z.uuid(),
        name: z.string(),
        language: z.string(),
        providerStatus: z.string(),
        providerTemplateId: z.string(),
        change: z.enum(["created", "updated", "unchanged", "deleted"]),
      })),
    }),
  },
  errors: [
    "service_unavailable",
    "Instance not found",
    "template_sync_not_available",
    "provider_template_list_failed",
  ],
  fields: {
    created: "Templates that were not stored yet.",
    updated: "Templates that had changed.",
    unchanged: "Templates that were stored as they are.",
    deleted: "Templates that the provider lists no more.",
    items: "Each template and what became of it.",
    "items.change": "What became of it.",
  },
  examples: [{
    name: "one_new",
    summary: "One template is new",
    response: {
      success: true,
      instanceId: demoOfficialInstanceId,
      created: 1,
      updated: 0,
      unchanged: 0,
      deleted: 0,
      items: [{
        templateId: demoTemplateId,
        name: "pedido_enviado",
        language: "pt_BR",
        providerStatus: "APPROVED",
        providerTemplateId: "1207842345678901",
        change: "created",
      }],
    },
  }],
};

const outboxNotes = {
  instanceId: "Instance that the entry is about; null when none.",
  kind:
    "What is to be done: `assignment_email` notifies an operator, `agent_reply` lets the AI agent answer.",
  status: "`pending` is still to be done, `dead` was given up.",
  runAt: "When it is tried next.",
  lastError: "Why the last try failed.",
};

const outboxOperations: readonly Operation[] = [
  {
    ...manners,
    method: "GET",
    path: "/outbox",
    operationId: "listOutbox",
    summary: "List what is done after requests",
    description:
      "Pages of e-mails and other effects that were promised by a request, oldest first.",
    query: outboxPageSchema,
    success: { description: "A page.", schema: pageAnswer(outboxFields) },
    errors: ["service_unavailable", "workspace_not_found"],
    fields: Object.fromEntries(
      Object.entries(outboxNotes).map(([name, note]) => [`items.${name}`, note]),
    ),
    examples: [{
      name: "given_up",
      summary: "What was given up",
      request: { status: "dead" },
      response: { success: true, items: [outboxExample], nextCursor: null },
    }],
  },
  {
    ...manners,
    method: "POST",
    path: "/outbox/:id/retry",
    operationId: "retryOutbox",
    summary: "Try what was given up again",
    description: "An entry that is not `dead` stays as it is. The request has no body.",
    pathParameters: { id: { description: "`outboxId` of the entry.", example: demoOutboxId } },
    isIdempotent: true,
    success: { description: "The entry as it is now.", schema: recordAnswer(outboxFields) },
    errors: ["service_unavailable", "not_found"],
    fields: outboxNotes,
    examples: [{
      name: "pending_again",
      summary: "An entry to be tried again",
      response: {
        success: true,
        ...outboxExample,
        status: "pending",
        attempts: 0,
        settledAt: null,
      },
    }],
  },
];

const resealOperation: Operation = {
  ...manners,
  method: "POST",
  path: "/credentials/reseal",
  operationId: "resealCredentials",
  summary: "Seal stored credentials under the current key",
  description:
    "After a new key was put in front of `CREDENTIALS_KEYS`: seals a batch of credentials anew that lie under a former key. Call it until `remaining` is 0; then the former key may go, provided that `keyId` is the new key's: a process that was started before the change knows the former keys alone. Repeatable, and safe beside other changes. The request has no body.",
  success: {
    description: "What this call did.",
    schema: z.object({
      ...successField,
      keyId: z.string().regex(/^[0-9a-f]{8}$/),
      resealed: z.int().min(0),
      remaining: z.int().min(0),
      unreadable: z.array(z.uuid()),
    }),
  },
  errors: ["service_unavailable"],
  fields: {
    keyId:
      "The key that the answering process seals under: the first 8 hexadecimal digits of the SHA-256 of its 32 bytes.",
    resealed: "Instances whose credentials were sealed anew.",
    remaining: "Instances whose credentials lie under a former key still.",
    unreadable: "Instances whose credentials no key opens: give them again with PATCH.",
  },
  examples: [{
    name: "all_done",
    summary: "All lie under the current key",
    response: { success: true, keyId: "9f86d081", resealed: 12, remaining: 0, unreadable: [] },
  }],
};

/** What admin-api promises (decisions, section 9). */
export const operations: readonly Operation[] = [
  ...recordDescriptions.flatMap(toOperations),
  ...tokenOperations,
  syncOperation,
  ...outboxOperations,
  resealOperation,
];
