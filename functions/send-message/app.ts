import type { Hono } from "hono";
import {
  type ClientContext,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import { noteIgnoredFields } from "../../shared/http/answer.ts";
import { createApp } from "../../shared/http/create_app.ts";
import type { AskServices } from "../../shared/messages/ask.ts";
import { createSendingAnswer } from "../../shared/http/sending_answer.ts";
import { guardSending } from "../../shared/http/sending_guard.ts";
import { validateBody } from "../../shared/http/validate.ts";
import type { SendingServices } from "../../shared/messages/send.ts";
import {
  checkSendMessage,
  findIdleFields,
  sendMessageFailureSchema,
  sendMessageResponseSchema,
  sendMessageSchema,
} from "./contract.ts";
import { sendMessage } from "./send.ts";

/** POST /functions/v1/send-message. */
export function createSendMessageApp(services: SendingServices & AskServices): Hono {
  const answer = createSendingAnswer(
    sendMessageResponseSchema,
    sendMessageFailureSchema,
    services.vault,
  );
  const handle = async (context: ClientContext): Promise<Response> => {
    const request = validateBody(context, sendMessageSchema, context.get("body"), checkSendMessage);
    noteIgnoredFields(context, findIdleFields(request));
    const instance = requireInstance(context);
    const idempotency = await readClientIdempotency(context);
    return await answer(
      context,
      await sendMessage(services, {
        instance,
        request,
        idempotency,
        authentication: context.get("authentication"),
        noteIgnored: (names) => noteIgnoredFields(context, names),
      }),
    );
  };
  return createApp({
    slug: "send-message",
    log: services.log,
    database: services.database,
    routes: [{
      method: "POST",
      path: "/",
      ignoresParameters: true,
      handlers: [guardSending(services.database, handle)],
    }],
  });
}
