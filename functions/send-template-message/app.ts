import type { Hono } from "hono";
import { type ClientContext, readClientIdempotency } from "../../shared/http/client_token_guard.ts";
import { noteIgnoredFields } from "../../shared/http/answer.ts";
import { createApp } from "../../shared/http/create_app.ts";
import type { AskServices } from "../../shared/messages/ask.ts";
import { createSendingAnswer } from "../../shared/http/sending_answer.ts";
import { guardSending } from "../../shared/http/sending_guard.ts";
import type { SendingServices } from "../../shared/messages/send.ts";
import {
  readSendTemplateMessage,
  sendTemplateMessageFailureSchema,
  sendTemplateMessageResponseSchema,
} from "./contract.ts";
import { sendTemplate } from "./send_template.ts";

/** POST /functions/v1/send-template-message. */
export function createSendTemplateMessageApp(services: SendingServices & AskServices): Hono {
  const answer = createSendingAnswer(
    sendTemplateMessageResponseSchema,
    sendTemplateMessageFailureSchema,
    services.vault,
  );
  const handle = async (context: ClientContext): Promise<Response> => {
    const request = readSendTemplateMessage(context, context.get("body"));
    const sent = await sendTemplate(services, {
      request,
      tokenId: context.get("tokenId"),
      instance: context.get("instance"),
      idempotency: await readClientIdempotency(context),
      authentication: context.get("authentication"),
      noteIgnored: (names) => noteIgnoredFields(context, names),
    });
    return await answer(context, sent);
  };
  return createApp({
    slug: "send-template-message",
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
