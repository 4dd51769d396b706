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
import { readPage, readPageOrChanges } from "../../shared/http/page.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { callRecorded } from "../../shared/idempotency/recorded_call.ts";
import { readRecipient } from "../../shared/model/request_fields.ts";
import { assignConversation } from "./assign.ts";
import { controlConversation, type ControllingServices } from "./control.ts";
import {
  assignResponseSchema,
  assignSchema,
  checkControl,
  checkListConversations,
  checkTarget,
  controlResponseSchema,
  controlSchema,
  conversationIdSchema,
  conversationResponseSchema,
  conversationsResponseSchema,
  getAgentPauseResponseSchema,
  getAgentPauseSchema,
  getConversationSchema,
  listConversationsSchema,
  listOfConversationSchema,
  noteRequestSchema,
  noteResponseSchema,
  notesResponseSchema,
  setAgentPauseResponseSchema,
  setAgentPauseSchema,
  statusResponseSchema,
  statusSchema,
  transfersResponseSchema,
  unassignResponseSchema,
  unassignSchema,
} from "./contract.ts";

export interface ConversationsApiServices extends ControllingServices {
  readonly log: Log;
}

/** The operations, by method and path. */
const operations: readonly ClientRoute<ConversationsApiServices>[] = [
  { method: "POST", path: "/assign", ignoresParameters: true, handle: assign },
  { method: "POST", path: "/unassign", handle: unassign },
  { method: "POST", path: "/status", ignoresParameters: true, handle: setStatus },
  { method: "POST", path: "/note", ignoresParameters: true, handle: addNote },
  { method: "POST", path: "/control", handle: control },
  { method: "GET", path: "/agent-pause", query: getAgentPauseSchema, handle: getPause },
  { method: "POST", path: "/agent-pause", handle: setPause },
  {
    method: "GET",
    path: "/conversations",
    query: listConversationsSchema,
    handle: getConversations,
  },
  {
    method: "GET",
    path: "/conversations/:id",
    query: getConversationSchema,
    handle: getConversation,
  },
  {
    method: "GET",
    path: "/conversations/:id/notes",
    query: listOfConversationSchema,
    handle: listNotes,
  },
  {
    method: "GET",
    path: "/conversations/:id/transfers",
    query: listOfConversationSchema,
    handle: listTransfers,
  },
];

/** /functions/v1/conversations-api (specification 4.1). */
export function createConversationsApiApp(services: ConversationsApiServices): Hono {
  const routes = createClientRoutes(services, operations);
  return createApp({
    slug: "conversations-api",
    log: services.log,
    database: services.database,
    routes,
  });
}

async function assign(
  { database }: ConversationsApiServices,
  context: ClientContext,
): Promise<Response> {
  const { assignTo, portfolio, departmentId, ...target } = validateBody(
    context,
    assignSchema,
    context.get("body"),
    checkTarget,
  );
  const { instanceId } = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  const assignment = { assignTo, portfolio, departmentId };
  return answerRecorded(
    context,
    assignResponseSchema,
    await assignConversation(database, {
      ...readRecipient(target),
      instanceId,
      assignment,
      idempotency,
    }),
  );
}

async function unassign(
  { database }: ConversationsApiServices,
  context: ClientContext,
): Promise<Response> {
  const request = validateBody(context, unassignSchema, context.get("body"), checkTarget);
  const { instanceId } = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  return answerRecorded(
    context,
    unassignResponseSchema,
    await callRecorded(database, "unassign_conversation", {
      ...request,
      instanceId,
      idempotency,
    }),
  );
}

async function control(
  services: ConversationsApiServices,
  context: ClientContext,
): Promise<Response> {
  const { instanceId: _, action, role, ...target } = validateBody(
    context,
    controlSchema,
    context.get("body"),
    checkControl,
  );
  const instance = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  return answerRecorded(
    context,
    controlResponseSchema,
    await controlConversation(services, instance, {
      target: readRecipient(target),
      ...{ action, role, idempotency },
    }),
  );
}

async function setStatus(
  { database }: ConversationsApiServices,
  context: ClientContext,
): Promise<Response> {
  const request = validateBody(context, statusSchema, context.get("body"), checkTarget);
  const { instanceId } = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  return answerRecorded(
    context,
    statusResponseSchema,
    await callRecorded(database, "set_conversation_status", {
      ...request,
      instanceId,
      idempotency,
    }),
  );
}

async function addNote(
  { database }: ConversationsApiServices,
  context: ClientContext,
): Promise<Response> {
  const request = validateBody(context, noteRequestSchema, context.get("body"), checkTarget);
  const { instanceId } = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  return answerRecorded(
    context,
    noteResponseSchema,
    await callRecorded(database, "note_conversation", { ...request, instanceId, idempotency }),
  );
}

async function getPause(
  { database }: ConversationsApiServices,
  context: ClientContext,
): Promise<Response> {
  const target = validate(getAgentPauseSchema, context.req.query(), checkTarget);
  const { instanceId } = requireInstance(context);
  const pause = await database.rpc("get_agent_pause", {
    ...readRecipient(target),
    instanceId,
  });
  return answerJson(context, getAgentPauseResponseSchema, { success: true, ...pause });
}

async function setPause(
  { database }: ConversationsApiServices,
  context: ClientContext,
): Promise<Response> {
  const request = validateBody(context, setAgentPauseSchema, context.get("body"), checkTarget);
  const { instanceId } = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  return answerRecorded(
    context,
    setAgentPauseResponseSchema,
    await callRecorded(database, "set_agent_pause", { ...request, instanceId, idempotency }),
  );
}

async function getConversation(
  { database }: ConversationsApiServices,
  context: ClientContext,
): Promise<Response> {
  validate(getConversationSchema, context.req.query());
  const conversation = await database.rpc("get_conversation", readTarget(context));
  return answerJson(context, conversationResponseSchema, { success: true, ...conversation });
}

async function getConversations(
  { database }: ConversationsApiServices,
  context: ClientContext,
): Promise<Response> {
  const query = validate(listConversationsSchema, context.req.query(), checkListConversations);
  const { instanceId } = requireInstance(context);
  const page = await readPageOrChanges(
    "conversations",
    { ...query, instanceId },
    (request) => database.rpc("list_conversations", request),
  );
  return answerJson(context, conversationsResponseSchema, { success: true, ...page });
}

async function listNotes(
  { database }: ConversationsApiServices,
  context: ClientContext,
): Promise<Response> {
  const query = validate(listOfConversationSchema, context.req.query());
  const target = readTarget(context);
  const page = await readPage(
    "notes",
    { ...query, ...target },
    (request) => database.rpc("list_conversation_notes", request),
  );
  return answerJson(context, notesResponseSchema, { success: true, ...page });
}

async function listTransfers(
  { database }: ConversationsApiServices,
  context: ClientContext,
): Promise<Response> {
  const query = validate(listOfConversationSchema, context.req.query());
  const target = readTarget(context);
  const page = await readPage(
    "transfers",
    { ...query, ...target },
    (request) => database.rpc("list_conversation_transfers", request),
  );
  return answerJson(context, transfersResponseSchema, { success: true, ...page });
}

/** Returns the conversation of the path, which must belong to the token's instance. */
function readTarget(context: ClientContext): { instanceId: string; conversationId: string } {
  const { instanceId } = requireInstance(context);
  const conversationId = conversationIdSchema.safeParse(context.req.param("id"));
  if (!conversationId.success) throw new AppError("conversation_not_found");
  return { instanceId, conversationId: conversationId.data };
}
