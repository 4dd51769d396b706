import type { Hono } from "hono";
import { AppError } from "../../shared/model/errors.ts";
import {
  type ClientContext,
  createClientTokenGuard,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import { answerJson } from "../../shared/http/answer.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { validate } from "../../shared/http/validate.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { identityKeyOf } from "../../shared/model/phone.ts";
import { checkReadContext, readContextResponseSchema, readContextSchema } from "./contract.ts";
import { type ContextServices, readContext } from "./read_context.ts";

export interface MessagesContextServices extends ContextServices {
  readonly log: Log;
}

/** /functions/v1/messages-context (specification 4.2). */
export function createMessagesContextApp(services: MessagesContextServices): Hono {
  const { database, log } = services;
  const guard = createClientTokenGuard(database);

  const getContext = async (context: ClientContext): Promise<Response> => {
    const request = validate(readContextSchema, context.req.query(), checkReadContext);
    const instance = requireInstance(context);
    if (!isConnectedTo(request.connectedPhone, instance.connectedPhone)) {
      throw new AppError("Instance not found");
    }
    const history = await readContext(services, instance, request);
    return answerJson(context, readContextResponseSchema, { success: true, ...history });
  };

  return createApp({
    slug: "messages-context",
    log,
    database,
    routes: [{
      method: "GET",
      path: "/",
      query: readContextSchema,
      ignoresParameters: true,
      handlers: [guard, getContext],
    }],
  });
}

/** Whether the requested number, if any, is the instance's number in any spelling. */
function isConnectedTo(asked: string | undefined, connectedPhone: string): boolean {
  return asked === undefined || identityKeyOf(asked) === identityKeyOf(connectedPhone);
}
