import type { Hono } from "hono";
import {
  type ClientContext,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import { answerJson } from "../../shared/http/answer.ts";
import { type ClientRoute, createClientRoutes } from "../../shared/http/client_routes.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { readPage, readPageUpTo } from "../../shared/http/page.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { withMediaUrl } from "../../shared/media/links.ts";
import { instanceQuerySchema } from "../../shared/model/request_fields.ts";
import { markReadByCall } from "../../shared/messages/read_receipts.ts";
import type { RunAfterResponse } from "../../shared/runtime/background.ts";
import { callRecorded } from "../../shared/idempotency/recorded_call.ts";
import { executeRepeatable } from "../../shared/idempotency/repeatable_call.ts";
import {
  cancelMessagesResponseSchema,
  cancelMessagesSchema,
  changeMessageSchema,
  checkChangeMessage,
  checkListMessages,
  deleteMessageSchema,
  healthResponseSchema,
  healthSchema,
  listMessagesSchema,
  listQueueSchema,
  messageResponseSchema,
  messagesResponseSchema,
  queueCursorSchema,
  queueResponseSchema,
  readMessageResponseSchema,
  readMessageSchema,
} from "./contract.ts";
import { changeMessage, type ChangingServices } from "./change_message.ts";
import {
  checkUsagePeriod,
  usageEndSchema,
  usageResponseSchema,
} from "../../shared/http/usage_query.ts";
import { readMessageTarget } from "./message_target.ts";
import { paymentRoutes } from "./payments.ts";
import { createQuestionOperations } from "./questions.ts";
import { describeSendable } from "./sendable_templates.ts";
import { listTemplatesSchema, templatesResponseSchema } from "./templates_contract.ts";
import { budgetQuerySchema, budgetResponseSchema, usageSchema } from "./usage_contract.ts";

export interface MessagesApiServices extends ChangingServices {
  readonly runAfterResponse: RunAfterResponse;
}

/** The operations, by method and path. */
const operations: readonly ClientRoute<MessagesApiServices>[] = [
  { method: "GET", path: "/messages", query: listMessagesSchema, handle: listMessages },
  { method: "GET", path: "/messages/:id", query: instanceQuerySchema, handle: getMessage },
  { method: "PATCH", path: "/messages/:id", handle: patchMessage },
  { method: "POST", path: "/messages/:id/read", hasBody: "optional", handle: readMessage },
  { method: "DELETE", path: "/messages", query: cancelMessagesSchema, handle: cancelByKey },
  { method: "DELETE", path: "/messages/:id", query: deleteMessageSchema, handle: deleteMessage },
  {
    method: "POST",
    path: "/messages/:id/retry",
    query: instanceQuerySchema,
    hasBody: false,
    handle: retryMessage,
  },
  { method: "GET", path: "/queue", query: listQueueSchema, handle: getQueue },
  { method: "GET", path: "/templates", query: listTemplatesSchema, handle: listTemplates },
  { method: "GET", path: "/usage", query: usageSchema, handle: getUsage },
  { method: "GET", path: "/usage/budget", query: budgetQuerySchema, handle: getBudget },
  { method: "GET", path: "/health", query: healthSchema, handle: getHealth },
];

/** /functions/v1/messages-api: the state of messages and of the queue (decisions, section 9). */
export function createMessagesApiApp(services: MessagesApiServices): Hono {
  const routes = createClientRoutes(services, [
    ...operations,
    ...createQuestionOperations(),
    ...paymentRoutes,
  ]);
  return createApp({
    slug: "messages-api",
    log: services.log,
    database: services.database,
    routes,
  });
}

async function getMessage(
  { database, links }: MessagesApiServices,
  context: ClientContext,
): Promise<Response> {
  const message = await database.rpc("get_message", readMessageTarget(context));
  return answerJson(context, messageResponseSchema, {
    success: true,
    ...withMediaUrl(message, links),
  });
}

async function listMessages(
  { database, links }: MessagesApiServices,
  context: ClientContext,
): Promise<Response> {
  const query = validate(listMessagesSchema, context.req.query(), checkListMessages);
  const { instanceId } = requireInstance(context);
  const page = await readPage(
    "messages",
    { ...query, instanceId },
    (request) => database.rpc("list_messages", request),
  );
  const items = page.items.map((item) => withMediaUrl(item, links));
  return answerJson(context, messagesResponseSchema, { success: true, ...page, items });
}

async function deleteMessage(
  services: MessagesApiServices,
  context: ClientContext,
): Promise<Response> {
  const { database, links } = services;
  const isForEveryone = validate(deleteMessageSchema, context.req.query()).for === "everyone";
  const target = readMessageTarget(context);
  const message = isForEveryone
    ? await changeMessage(services, requireInstance(context), { ...target, kind: "delete" })
    : await database.rpc("cancel_message", target);
  return answerJson(context, messageResponseSchema, {
    success: true,
    ...withMediaUrl(message, links),
  });
}

async function patchMessage(
  services: MessagesApiServices,
  context: ClientContext,
): Promise<Response> {
  const { database, links } = services;
  const body = context.get("body");
  const { sendAt, expiresAt, message: words } = validateBody(
    context,
    changeMessageSchema,
    body,
    checkChangeMessage,
  );
  const target = readMessageTarget(context);
  const edit = { ...target, kind: "edit" } as const;
  const message = words === undefined
    ? await database.rpc("move_message", { ...target, sendAt, expiresAt })
    : await changeMessage(services, requireInstance(context), { ...edit, message: words });
  return answerJson(context, messageResponseSchema, {
    success: true,
    ...withMediaUrl(message, links),
  });
}

async function readMessage(
  services: MessagesApiServices,
  context: ClientContext,
): Promise<Response> {
  const { typing } = validateBody(context, readMessageSchema, context.get("body"));
  const target = readMessageTarget(context);
  const read = await executeRepeatable({
    database: services.database,
    idempotency: await readClientIdempotency(context),
    execute: () => markReadByCall(services, target, typing),
    isKept: ({ channel }) => channel === "read" || channel === "not_supported",
  });
  return answerRecorded(context, readMessageResponseSchema, read);
}

async function cancelByKey(
  { database }: MessagesApiServices,
  context: ClientContext,
): Promise<Response> {
  const { cancelKey } = validate(cancelMessagesSchema, context.req.query());
  const { instanceId } = requireInstance(context);
  const { canceled } = await database.rpc("cancel_messages_by_key", { instanceId, cancelKey });
  return answerJson(context, cancelMessagesResponseSchema, { success: true, canceled });
}

async function retryMessage(
  { database }: MessagesApiServices,
  context: ClientContext,
): Promise<Response> {
  const target = readMessageTarget(context);
  const idempotency = await readClientIdempotency(context);
  return answerRecorded(
    context,
    messageResponseSchema,
    await callRecorded(database, "retry_message", { ...target, idempotency }),
  );
}

async function getQueue(
  { database }: MessagesApiServices,
  context: ClientContext,
): Promise<Response> {
  const { limit, cursor } = validate(listQueueSchema, context.req.query());
  const { instanceId } = requireInstance(context);
  const page = await readPageUpTo(
    queueCursorSchema,
    "queue",
    { instanceId, limit, cursor },
    (request) => database.rpc("list_message_queue", request),
  );
  return answerJson(context, queueResponseSchema, { success: true, ...page });
}

async function listTemplates(
  { database }: MessagesApiServices,
  context: ClientContext,
): Promise<Response> {
  const query = validate(listTemplatesSchema, context.req.query());
  const page = await readPage(
    "sendable_templates",
    { ...query, instanceId: undefined, sendableBy: requireInstance(context).instanceId },
    (request) => database.rpc("list_message_templates", request),
  );
  const items = page.items.flatMap(describeSendable);
  return answerJson(context, templatesResponseSchema, { success: true, ...page, items });
}

async function getUsage(
  { database }: MessagesApiServices,
  context: ClientContext,
): Promise<Response> {
  const query = validate(usageSchema, context.req.query(), checkUsagePeriod);
  const { instanceId } = requireInstance(context);
  const page = await readPageUpTo(
    usageEndSchema,
    "usage",
    { ...query, instanceId },
    (request) => database.rpc("get_usage", request),
  );
  return answerJson(context, usageResponseSchema, { success: true, ...page });
}

async function getBudget(
  { database }: MessagesApiServices,
  context: ClientContext,
): Promise<Response> {
  validate(budgetQuerySchema, context.req.query());
  const { instanceId } = requireInstance(context);
  const state = await database.rpc("get_budget", { instanceId });
  return answerJson(context, budgetResponseSchema, { success: true, ...state });
}

async function getHealth(
  { database }: MessagesApiServices,
  context: ClientContext,
): Promise<Response> {
  validate(healthSchema, context.req.query());
  const { instanceId } = requireInstance(context);
  const health = await database.rpc("get_instance_health", { instanceId });
  return answerJson(context, healthResponseSchema, { success: true, instanceId, ...health });
}
