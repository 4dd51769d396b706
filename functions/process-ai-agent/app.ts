import type { Hono } from "hono";
import {
  type ClientContext,
  createClientTokenGuard,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import { noteIgnoredFields } from "../../shared/http/answer.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { createSendingAnswer } from "../../shared/http/sending_answer.ts";
import { validateBody } from "../../shared/http/validate.ts";
import type { SendingServices } from "../../shared/messages/send.ts";
import {
  checkProcessAiAgent,
  processAiAgentFailureSchema,
  processAiAgentResponseSchema,
  processAiAgentSchema,
} from "./contract.ts";
import { openConversation } from "./open_conversation.ts";

/** POST /functions/v1/process-ai-agent. */
export function createProcessAiAgentApp(services: SendingServices): Hono {
  const answer = createSendingAnswer(processAiAgentResponseSchema, processAiAgentFailureSchema);
  const handle = async (context: ClientContext): Promise<Response> => {
    const body = context.get("body");
    const check = checkProcessAiAgent(body);
    const request = validateBody(context, processAiAgentSchema, body, check);
    const instance = requireInstance(context);
    const idempotency = await readClientIdempotency(context);
    return answer(
      context,
      await openConversation(services, {
        instance,
        request,
        idempotency,
        noteIgnored: (names) => noteIgnoredFields(context, names),
      }),
    );
  };
  const handlers = [createClientTokenGuard(services.database), handle] as const;
  return createApp({
    slug: "process-ai-agent",
    log: services.log,
    database: services.database,
    routes: [{ method: "POST", path: "/", ignoresParameters: true, handlers }],
  });
}
