/**
 * WhatsApp Cloud API: `POST /{version}/{phone-number-id}/messages`, templates and analytics of an account,
 * with Meta's error bodies. It refuses what the real channel refuses: free text outside the 24
 * hours after the customer's last message, unless it goes by Direct Send, and templates that are not approved.
 */
import { type Context, Hono } from "hono";
import type { ChannelRoutes } from "../channel.ts";
import type { SimulatorContext } from "../context.ts";
import { addressOf } from "../file_store.ts";
import type { Fault } from "../faults.ts";
import { reportFailure } from "./failure_report.ts";
import { declaresJson, readBearerToken, readJson } from "../json_request.ts";
import type { Answer } from "../records.ts";
import { Billing } from "./billing.ts";
import type { CloudContext } from "./context.ts";
import { createCloudControls } from "./controls.ts";
import { ConversationWindows } from "./conversation_windows.ts";
import { TemplateLibrary } from "./template_library.ts";
import { answerSend, type ErrorFormat } from "../spoiled_answer.ts";
import {
  accountLocked,
  describeFault,
  type GraphError,
  invalidToken,
  refuseGraph,
} from "./errors.ts";
import { type CloudMessage, parseCloudMessage, parseReadReceipt } from "./messages.ts";
import { checkTemplateMessage } from "./template_check.ts";
import { createThreadControl } from "./business_agent.ts";
import { createBlockRoutes } from "./blocks.ts";
import { createMediaRoutes } from "./media.ts";
import { findForeignMediaId } from "./media_ids.ts";
import { Numbers } from "./numbers.ts";
import { Orders } from "./orders.ts";
import { overrideWebhook, tellNumber } from "./number.ts";
import { tellAccount } from "./pricing_analytics.ts";
import { createTemplateRoutes } from "./templates.ts";
import { createUploadRoutes } from "./template_uploads.ts";
import { fillTemplateWording } from "./template_wording.ts";

/** The channel with its own state: what the routes below `/simulator` decide, those of the API follow. */
export function createWhatsappCloudRoutes(simulator: SimulatorContext): ChannelRoutes {
  const { store } = simulator;
  const templates = new TemplateLibrary(() => store.now().getTime());
  const windows = new ConversationWindows(store);
  const billing = new Billing(store);
  const orders = new Orders();
  const numbers = new Numbers();
  const cloud = { ...simulator, templates, windows, billing, orders, numbers };
  return { provider: createGraph(cloud), controls: createCloudControls(cloud) };
}

/** The routes below `/simulator/graph`. The version is the first segment. */
function createGraph(simulator: CloudContext): Hono {
  const app = new Hono();
  app.post(
    "/:version{v[0-9]+\\.[0-9]+}/:phoneNumberId/messages",
    (context) => receiveSend(simulator, context),
  );
  app.post(
    "/:version{v[0-9]+\\.[0-9]+}/:wabaId/subscribed_apps",
    (context) => overrideWebhook(simulator, context),
  );
  for (const tell of [tellAccount, tellNumber]) {
    app.get(
      "/:version{v[0-9]+\\.[0-9]+}/:wabaId",
      (context, next) => tell(simulator, context, next),
    );
  }
  app.route("/", createBlockRoutes(simulator, errorFormat));
  app.route("/", createThreadControl(simulator, errorFormat));
  app.route("/", createTemplateRoutes(simulator));
  app.route("/", createUploadRoutes(simulator));
  app.route("/", createMediaRoutes(simulator));
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

async function receiveSend(simulator: CloudContext, context: Context): Promise<Response> {
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
    simulator.store.addReadReceipt({
      ...{ provider: "whatsapp_cloud", instance, providerMessageId, typingShown },
    });
    return Response.json({ success: true });
  }
  const parsed = parseCloudMessage(body);
  if (parsed.outcome === "refused") return refuseGraph(parsed.error);
  const foreign = findForeignMediaId(simulator.files, body);
  if (foreign !== null) return refuseGraph(foreign);
  const message = parsed.message;
  const target = { provider: "whatsapp_cloud", instance, to: [message.waId] } as const;
  return answerSend(simulator, target, errorFormat, (answer) => {
    return takeMessage(simulator, {
      message: showFile(simulator, message, request),
      instance,
      answer,
      body,
    });
  });
}

/** What the phone shows of an uploaded file: the file, in place of its id. */
function showFile({ files }: CloudContext, message: CloudMessage, request: Request): CloudMessage {
  const file = files.get(message.content.mediaUrl ?? "");
  if (file === undefined) return message;
  return { ...message, content: { ...message.content, mediaUrl: addressOf(file, request) } };
}

interface Arrival {
  readonly message: CloudMessage;
  readonly instance: string;
  readonly answer: Answer;
  readonly body: unknown;
}

/**
 * Accepts or refuses a valid send. Refuses a bad template at once, and an order that the person
 * cannot have. Reports a closed window after the acceptance, as Meta mostly does. Without a
 * registered webhook nothing could receive that report, so it then answers the documented 400.
 */
function takeMessage(simulator: CloudContext, arrival: Arrival): Response {
  const { message, instance } = arrival;
  const { content: { template }, recipient, waId, correlationId } = message;
  const refusal = template === null
    ? undefined
    : checkTemplateMessage(simulator.templates, template);
  if (refusal !== undefined) return refuseGraph(refusal);
  const isAllowed = template !== null || message.directSendCategory !== null ||
    simulator.windows.isOpen(instance, waId);
  if (!isAllowed && !simulator.webhooks.has("whatsapp_cloud", instance)) {
    return refuseGraph(windowClosed);
  }
  const refusedOrder = isAllowed
    ? simulator.orders.take(instance, waId, message.content)
    : undefined;
  if (refusedOrder !== undefined) return refuseGraph(refusedOrder);
  const providerMessageId = `wamid.${btoa(`${waId}${crypto.randomUUID()}`).replaceAll("=", "")}`;
  if (isAllowed) keepMessage(simulator, arrival, providerMessageId);
  else {
    void reportFailure(
      simulator,
      { instance, providerMessageId, waId, correlationId },
      { code: windowClosed.code, title: windowClosed.title, details: windowClosed.details },
    );
  }
  return Response.json({
    messaging_product: "whatsapp",
    contacts: [{ input: recipient, wa_id: waId }],
    messages: [{
      id: providerMessageId,
      message_status: arrival.answer === "held" ? "held_for_quality_assessment" : "accepted",
    }],
  });
}

function keepMessage(simulator: CloudContext, arrival: Arrival, providerMessageId: string): void {
  const { message, instance, answer, body } = arrival;
  const { waId, content, correlationId, replyTo, directSendCategory } = message;
  simulator.store.addMessage({
    ...fillTemplateWording(simulator.templates, content),
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
    ...(directSendCategory === null ? {} : { directSendCategory }),
  });
}

const windowClosed = {
  ...describeFault(131047),
  details:
    "Message failed to send because more than 24 hours have passed since the customer last " +
    "replied to this number.",
};

const errorFormat: ErrorFormat = {
  reject: (fault: Fault) => refuseFault(fault, 131026),
  rateLimit: (fault: Fault) => refuseFault(fault, 130429),
  serverError: (fault: Fault) => refuseFault(fault, 131000),
  disconnected: () => refuseGraph(accountLocked),
};

function refuseFault(fault: Fault, usualCode: number): Response {
  const code = Number(fault.code ?? usualCode);
  const error: GraphError = describeFault(Number.isInteger(code) ? code : usualCode);
  const status = fault.kind === "rate_limit" ? 429 : error.status;
  return refuseGraph({ ...error, status, retryAfterSeconds: fault.retryAfterSeconds });
}
