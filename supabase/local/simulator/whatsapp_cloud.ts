/**
 * WhatsApp Cloud API: `POST /{version}/{phone-number-id}/messages` and
 * `GET /{version}/{WABA-id}/message_templates`, with Meta's error bodies.
 */
import { type Context, Hono } from "hono";
import type { Fault } from "./faults.ts";
import { declaresJson, readBearerToken, readJson } from "./json_request.ts";
import type { Answer } from "./records.ts";
import type { SimulatedWorld } from "./simulated_world.ts";
import { answerSend, type RefusalVoice } from "./spoiled_answer.ts";
import { describeFault, type GraphError, refuseGraph } from "./whatsapp_cloud_errors.ts";
import {
  type CloudMessage,
  parseCloudMessage,
  parseReadReceipt,
} from "./whatsapp_cloud_messages.ts";
import { listTemplates } from "./whatsapp_cloud_templates.ts";

/** The routes below `/simulator/graph`; the version is the first segment behind it. */
export function createWhatsappCloud(world: SimulatedWorld): Hono {
  const app = new Hono();
  app.post(
    "/:version{v[0-9]+\\.[0-9]+}/:phoneNumberId/messages",
    (context) => receiveSend(world, context),
  );
  app.get(
    "/:version{v[0-9]+\\.[0-9]+}/:wabaId/message_templates",
    (context) =>
      readBearerToken(context.req.raw) === undefined
        ? refuseGraph(invalidToken)
        : listTemplates(new URL(context.req.url)),
  );
  app.all("*", (context) =>
    refuseGraph({
      status: 400,
      code: 100,
      subcode: 33,
      title: `Unsupported ${context.req.method.toLowerCase()} request.`,
      details: "The object does not exist, or it does not support this operation.",
    }));
  return app;
}

const invalidToken: GraphError = {
  status: 401,
  code: 190,
  title: "Invalid OAuth access token.",
};

async function receiveSend(world: SimulatedWorld, context: Context): Promise<Response> {
  const request = context.req.raw;
  if (readBearerToken(request) === undefined) {
    return refuseGraph(invalidToken);
  }
  const body = declaresJson(request) ? await readJson(request) : {};
  const instance = context.req.param("phoneNumberId") ?? "";
  const receipt = parseReadReceipt(body);
  if (receipt !== undefined) {
    if (receipt.outcome === "refused") return refuseGraph(receipt.error);
    const { messageId: providerMessageId, typingShown } = receipt;
    world.store.addReadReceipt({ instance, providerMessageId, typingShown });
    return Response.json({ success: true });
  }
  const parsed = parseCloudMessage(body);
  if (parsed.outcome === "refused") return refuseGraph(parsed.error);
  const message = parsed.message;
  const target = { provider: "whatsapp_cloud", instance, to: [message.waId] } as const;
  return answerSend(world, target, voice, (answer) => {
    return keepMessage(world, { message, instance, answer, body });
  });
}

function keepMessage(world: SimulatedWorld, arrival: {
  readonly message: CloudMessage;
  readonly instance: string;
  readonly answer: Answer;
  readonly body: unknown;
}): Response {
  const { message, instance, answer, body } = arrival;
  const { recipient, waId, content, correlationId, replyTo } = message;
  const providerMessageId = `wamid.${btoa(`${waId}${crypto.randomUUID()}`).replaceAll("=", "")}`;
  world.store.addMessage({
    ...content,
    provider: "whatsapp_cloud",
    instance,
    providerMessageId,
    to: waId,
    waId,
    typingMs: 0,
    correlationId,
    replyTo,
    answer,
    body,
  });
  return Response.json({
    messaging_product: "whatsapp",
    contacts: [{ input: recipient, wa_id: waId }],
    messages: [{ id: providerMessageId, message_status: "accepted" }],
  });
}

const voice: RefusalVoice = {
  reject: (fault: Fault) => refuseFault(fault, 131026),
  rateLimit: (fault: Fault) => refuseFault(fault, 130429),
  serverError: (fault: Fault) => refuseFault(fault, 131000),
};

function refuseFault(fault: Fault, usualCode: number): Response {
  const code = Number(fault.code ?? usualCode);
  const error: GraphError = describeFault(Number.isInteger(code) ? code : usualCode);
  const status = fault.kind === "rate_limit" ? 429 : error.status;
  return refuseGraph({ ...error, status, retryAfterSeconds: fault.retryAfterSeconds });
}
