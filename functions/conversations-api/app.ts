import type { Hono } from "hono";
import type { Database } from "../../shared/database/database.ts";
import {
  type ClientContext,
  createClientTokenGuard,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import { createApp, type Route } from "../../shared/http/create_app.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { callRecorded } from "../../shared/idempotency/recorded_call.ts";
import { assignConversation } from "./assign.ts";
import {
  assignSchema,
  getAgentPauseSchema,
  noteRequestSchema,
  setAgentPauseSchema,
  statusSchema,
} from "./contract.ts";

export interface ConversationsApiServices {
  readonly database: Database;
  readonly log: Log;
}

/** /functions/v1/conversations-api (specification 4.1). */
export function createConversationsApiApp(services: ConversationsApiServices): Hono {
  const { database, log } = services;
  const guard = createClientTokenGuard(database);

  const assign = async (context: ClientContext): Promise<Response> => {
    const { phone, assignTo, portfolio, departmentId } = validateBody(
      context,
      assignSchema,
      context.get("body"),
    );
    const { instanceId } = requireInstance(context);
    const idempotency = await readClientIdempotency(context);
    const assignment = { assignTo, portfolio, departmentId };
    return answerRecorded(
      context,
      await assignConversation(database, { instanceId, phone, assignment, idempotency }),
    );
  };

  const setStatus = async (context: ClientContext): Promise<Response> => {
    const request = validateBody(context, statusSchema, context.get("body"));
    const { instanceId } = requireInstance(context);
    const idempotency = await readClientIdempotency(context);
    return answerRecorded(
      context,
      await callRecorded(database, "set_conversation_status", {
        ...request,
        instanceId,
        idempotency,
      }),
    );
  };

  const addNote = async (context: ClientContext): Promise<Response> => {
    const request = validateBody(context, noteRequestSchema, context.get("body"));
    const { instanceId } = requireInstance(context);
    const idempotency = await readClientIdempotency(context);
    return answerRecorded(
      context,
      await callRecorded(database, "note_conversation", { ...request, instanceId, idempotency }),
    );
  };

  const getPause = async (context: ClientContext): Promise<Response> => {
    const { phone } = validate(getAgentPauseSchema, context.req.query());
    const { instanceId } = requireInstance(context);
    const pause = await database.rpc("get_agent_pause", { instanceId, phone });
    return context.json({ success: true, ...pause });
  };

  const setPause = async (context: ClientContext): Promise<Response> => {
    const request = validateBody(context, setAgentPauseSchema, context.get("body"));
    const { instanceId } = requireInstance(context);
    const idempotency = await readClientIdempotency(context);
    return answerRecorded(
      context,
      await callRecorded(database, "set_agent_pause", { ...request, instanceId, idempotency }),
    );
  };

  const routes: Route[] = [
    { method: "POST", path: "/assign", handlers: [guard, assign] },
    { method: "POST", path: "/status", handlers: [guard, setStatus] },
    { method: "POST", path: "/note", handlers: [guard, addNote] },
    { method: "GET", path: "/agent-pause", handlers: [guard, getPause] },
    { method: "POST", path: "/agent-pause", handlers: [guard, setPause] },
  ];
  return createApp({ slug: "conversations-api", log, routes });
}
