import type { Hono } from "hono";
import { AppError } from "../../shared/model/errors.ts";
import {
  type ClientContext,
  createClientTokenGuard,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import { answerJson } from "../../shared/http/answer.ts";
import { createApp, type Route } from "../../shared/http/create_app.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { readPage, readPageUpTo } from "../../shared/http/page.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { withMediaUrl } from "../../shared/media/links.ts";
import { instanceQuerySchema } from "../../shared/model/request_fields.ts";
import { markReadByCall } from "../../shared/messages/read_receipts.ts";
import type { RunAfterResponse } from "../../shared/runtime/background.ts";
import { callRecorded } from "../../shared/idempotency/recorded_call.ts";
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
  messageIdSchema,
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
import { describeSendable } from "./sendable_templates.ts";
import { listTemplatesSchema, templatesResponseSchema } from "./templates_contract.ts";
import { budgetQuerySchema, budgetResponseSchema, usageSchema } from "./usage_contract.ts";

export interface MessagesApiServices extends ChangingServices {
  readonly runAfterResponse: RunAfterResponse;
}

/** /functions/v1/messages-api: the state of messages and of the queue (decisions, section 9). */
export function createMessagesApiApp(services: MessagesApiServices): Hono {
  const { database, links, log } = services;
  const guard = createClientTokenGuard(database);
  const bodilessGuard = createClientTokenGuard(database, { hasBody: false });
  const optionalGuard = createClientTokenGuard(database, { hasBody: "optional" });

  const getMessage = async (context: ClientContext): Promise<Response> => {
    const message = await database.rpc("get_message", readTarget(context));
    return answerJson(context, messageResponseSchema, {
      success: true,
      ...withMediaUrl(message, links),
    });
  };

  const listMessages = async (context: ClientContext): Promise<Response> => {
    const query = validate(listMessagesSchema, context.req.query(), checkListMessages);
    const { instanceId } = requireInstance(context);
    const page = await readPage(
      "messages",
      { ...query, instanceId },
      (request) => database.rpc("list_messages", request),
    );
    const items = page.items.map((item) => withMediaUrl(item, links));
    return answerJson(context, messagesResponseSchema, { success: true, ...page, items });
  };

  const deleteMessage = async (context: ClientContext): Promise<Response> => {
    const isForEveryone = validate(deleteMessageSchema, context.req.query()).for === "everyone";
    const target = readTarget(context);
    const message = isForEveryone
      ? await changeMessage(services, requireInstance(context), { ...target, kind: "delete" })
      : await database.rpc("cancel_message", target);
    return answerJson(context, messageResponseSchema, {
      success: true,
      ...withMediaUrl(message, links),
    });
  };

  const patchMessage = async (context: ClientContext): Promise<Response> => {
    const body = context.get("body");
    const { sendAt, expiresAt, message: words } = validateBody(
      context,
      changeMessageSchema,
      body,
      checkChangeMessage,
    );
    const target = readTarget(context);
    const edit = { ...target, kind: "edit" } as const;
    const message = words === undefined
      ? await database.rpc("move_message", { ...target, sendAt, expiresAt })
      : await changeMessage(services, requireInstance(context), { ...edit, message: words });
    return answerJson(context, messageResponseSchema, {
      success: true,
      ...withMediaUrl(message, links),
    });
  };

  const readMessage = async (context: ClientContext): Promise<Response> => {
    const { typing } = validateBody(context, readMessageSchema, context.get("body"));
    const outcome = await markReadByCall(services, readTarget(context), typing);
    return answerJson(context, readMessageResponseSchema, { success: true, ...outcome });
  };

  const cancelByKey = async (context: ClientContext): Promise<Response> => {
    const { cancelKey } = validate(cancelMessagesSchema, context.req.query());
    const { instanceId } = requireInstance(context);
    const { canceled } = await database.rpc("cancel_messages_by_key", { instanceId, cancelKey });
    return answerJson(context, cancelMessagesResponseSchema, { success: true, canceled });
  };

  const retryMessage = async (context: ClientContext): Promise<Response> => {
    const target = readTarget(context);
    const idempotency = await readClientIdempotency(context);
    return answerRecorded(
      context,
      messageResponseSchema,
      await callRecorded(database, "retry_message", { ...target, idempotency }),
    );
  };

  const getQueue = async (context: ClientContext): Promise<Response> => {
    const { limit, cursor } = validate(listQueueSchema, context.req.query());
    const { instanceId } = requireInstance(context);
    const page = await readPageUpTo(
      queueCursorSchema,
      "queue",
      { instanceId, limit, cursor },
      (request) => database.rpc("list_message_queue", request),
    );
    return answerJson(context, queueResponseSchema, { success: true, ...page });
  };

  const listTemplates = async (context: ClientContext): Promise<Response> => {
    const query = validate(listTemplatesSchema, context.req.query());
    const page = await readPage(
      "sendable_templates",
      { ...query, instanceId: undefined, sendableBy: requireInstance(context).instanceId },
      (request) => database.rpc("list_message_templates", request),
    );
    const items = page.items.flatMap(describeSendable);
    return answerJson(context, templatesResponseSchema, { success: true, ...page, items });
  };

  const getUsage = async (context: ClientContext): Promise<Response> => {
    const query = validate(usageSchema, context.req.query(), checkUsagePeriod);
    const { instanceId } = requireInstance(context);
    const page = await readPageUpTo(
      usageEndSchema,
      "usage",
      { ...query, instanceId },
      (request) => database.rpc("get_usage", request),
    );
    return answerJson(context, usageResponseSchema, { success: true, ...page });
  };

  const getBudget = async (context: ClientContext): Promise<Response> => {
    validate(budgetQuerySchema, context.req.query());
    const { instanceId } = requireInstance(context);
    const state = await database.rpc("get_budget", { instanceId });
    return answerJson(context, budgetResponseSchema, { success: true, ...state });
  };

  const getHealth = async (context: ClientContext): Promise<Response> => {
    validate(healthSchema, context.req.query());
    const { instanceId } = requireInstance(context);
    const health = await database.rpc("get_instance_health", { instanceId });
    return answerJson(context, healthResponseSchema, { success: true, instanceId, ...health });
  };

  const routes: Route[] = [
    {
      method: "GET",
      path: "/messages",
      query: listMessagesSchema,
      handlers: [guard, listMessages],
    },
    {
      method: "GET",
      path: "/messages/:id",
      query: instanceQuerySchema,
      handlers: [guard, getMessage],
    },
    { method: "PATCH", path: "/messages/:id", handlers: [guard, patchMessage] },
    { method: "POST", path: "/messages/:id/read", handlers: [optionalGuard, readMessage] },
    {
      method: "DELETE",
      path: "/messages",
      query: cancelMessagesSchema,
      handlers: [guard, cancelByKey],
    },
    {
      method: "DELETE",
      path: "/messages/:id",
      query: deleteMessageSchema,
      handlers: [guard, deleteMessage],
    },
    {
      method: "POST",
      path: "/messages/:id/retry",
      query: instanceQuerySchema,
      handlers: [bodilessGuard, retryMessage],
    },
    { method: "GET", path: "/queue", query: listQueueSchema, handlers: [guard, getQueue] },
    {
      method: "GET",
      path: "/templates",
      query: listTemplatesSchema,
      handlers: [guard, listTemplates],
    },
    { method: "GET", path: "/usage", query: usageSchema, handlers: [guard, getUsage] },
    {
      method: "GET",
      path: "/usage/budget",
      query: budgetQuerySchema,
      handlers: [guard, getBudget],
    },
    { method: "GET", path: "/health", query: healthSchema, handlers: [guard, getHealth] },
  ];
  return createApp({ slug: "messages-api", log, routes });
}

/** Returns the message of the path, which must belong to the token's instance. */
function readTarget(context: ClientContext): { instanceId: string; messageId: string } {
  const { instanceId } = requireInstance(context);
  const messageId = messageIdSchema.safeParse(context.req.param("id"));
  if (!messageId.success) throw new AppError("message_not_found");
  return { instanceId, messageId: messageId.data };
}
