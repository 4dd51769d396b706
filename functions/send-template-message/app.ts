import type { Hono } from "hono";
import { type ClientContext, readClientIdempotency } from "../../shared/http/client_token_guard.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { answerSending } from "../../shared/http/sending_answer.ts";
import { guardSending } from "../../shared/http/sending_guard.ts";
import type { SendingServices } from "../../shared/messages/send.ts";
import { readSendTemplateMessage } from "./contract.ts";
import type { TemplateResponse } from "./response.ts";
import { sendTemplate } from "./send_template.ts";

/** POST /functions/v1/send-template-message. */
export function createSendTemplateMessageApp(services: SendingServices): Hono {
  const handle = async (context: ClientContext): Promise<Response> => {
    const request = readSendTemplateMessage(context, context.get("body"));
    const answer = await sendTemplate(services, {
      request,
      tokenId: context.get("tokenId"),
      instance: context.get("instance"),
      idempotency: await readClientIdempotency(context),
      authentication: context.get("authentication"),
    });
    return answerSending<TemplateResponse>(context, answer);
  };
  return createApp({
    slug: "send-template-message",
    log: services.log,
    routes: [{
      method: "POST",
      path: "/",
      handlers: [guardSending(services.database, handle)],
    }],
  });
}
