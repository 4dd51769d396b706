import type { Hono } from "hono";
import type { Database } from "../../shared/database/database.ts";
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
import { type MediaLinks, withMediaUrl } from "../../shared/media/links.ts";
import { instanceQuerySchema } from "../../shared/model/request_fields.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { callRecorded } from "../../shared/idempotency/recorded_call.ts";
import {
  cancelMessagesResponseSchema,
  cancelMessagesSchema,
  checkListMessages,
  checkMoveMessage,
  healthResponseSchema,
  healthSchema,
  listMessagesSchema,
  listQueueSchema,
  messageIdSchema,
  messageResponseSchema,
  messagesResponseSchema,
  moveMessageSchema,
  queueCursorSchema,
  queueResponseSchema,
} from "./contract.ts";

export interface MessagesApiServices {
  readonly database: Database;
  readonly links: MediaLinks;
  readonly log: Log;
}

/** /functions/v1/messages-api: the state of messages and of the queue (decisions, section 9). */
export function createMessagesApiApp({ database, links, log }: MessagesApiServices): Hono {
  const guard = createClientTokenGuard(database);
  const bodilessGuard = createClientTokenGuard(database, { hasBody: false });

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

  const cancelMessage = async (context: ClientContext): Promise<Response> => {
    const message = await database.rpc("cancel_message", readTarget(context));
    return answerJson(context, messageResponseSchema, {
      success: true,
      ...withMediaUrl(message, links),
    });
  };

  const moveMessage = async (context: ClientContext): Promise<Response> => {
    const body = context.get("body");
    const { sendAt, expiresAt } = validateBody(context, moveMessageSchema, body, checkMoveMessage);
    const target = readTarget(context);
    const message = await database.rpc("move_message", { ...target, sendAt, expiresAt });
    return answerJson(context, messageResponseSchema, {
      success: true,
      ...withMediaUrl(message, links),
    });
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
    { method: "PATCH", path: "/messages/:id", handlers: [guard, moveMessage] },
    {
      method: "DELETE",
      path: "/messages",
      query: cancelMessagesSchema,
      handlers: [guard, cancelByKey],
    },
    {
      method: "DELETE",
      path: "/messages/:id",
      query: instanceQuerySchema,
      handlers: [guard, cancelMessage],
    },
    {
      method: "POST",
      path: "/messages/:id/retry",
      query: instanceQuerySchema,
      handlers: [bodilessGuard, retryMessage],
    },
    { method: "GET", path: "/queue", query: listQueueSchema, handlers: [guard, getQueue] },
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
