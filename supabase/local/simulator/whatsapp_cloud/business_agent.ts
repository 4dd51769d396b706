/**
 * Meta's Business Agent, and who holds which conversation (pages Conversation routing; Webhooks: standby,
 * messaging_handovers). Once it is switched on, it gets and answers what customers write, and hands over those
 * who ask for a person.
 */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { channelOf } from "../channels.ts";
import { declaresJson, parseValue, readBearerToken, readJson, withBody } from "../json_request.ts";
import { refuseUnregistered } from "../phone_api.ts";
import type { SimulatedReply } from "../records.ts";
import { type Responder, responderKinds } from "../responders.ts";
import { answerSend, type ErrorFormat } from "../spoiled_answer.ts";
import { arrivalMs, waitUnlessClosing } from "../waits.ts";
import type { CloudContext } from "./context.ts";
import { describeFault, invalidToken, refuseGraph } from "./errors.ts";
import { toSeconds, wrap, wrapChange } from "./events.ts";

const provider = "whatsapp_cloud";

const agentSchema = z.object({
  instance: z.string().min(1),
  isOn: z.boolean(),
  /** Whether the service is the number's escalation partner, which alone may take conversations. */
  isEscalation: z.boolean().default(true),
});

const handoverSchema = z.object({
  instance: z.string().min(1),
  waId: z.string().regex(/^\d{8,15}$/),
  to: z.enum(responderKinds),
  summary: z.string().trim().min(1).max(4_096).optional(),
});

/** `POST /business-agents` and `POST /handovers` below `/simulator`. */
export function createBusinessAgentControls(simulator: CloudContext): Hono {
  const { store, webhooks, responders } = simulator;
  store.subscribe((event) => {
    if (event.type !== "added" || event.kind !== "replies") return;
    const reply = event.record as SimulatedReply;
    const isForAgent = reply.provider === provider && reply.isStandby === true &&
      responders.hasAgent(reply.instance) &&
      responders.holderOf(reply.instance, reply.waId) === "agent";
    if (isForAgent) void answer(simulator, reply);
  });
  const app = new Hono();
  app.post("/business-agents", (context) =>
    withBody(context, agentSchema, (agent) => {
      responders.setAgent(agent.instance, agent.isOn, agent.isEscalation);
      return Response.json(agent, { status: 201 });
    }));
  app.post("/handovers", (context) =>
    withBody(context, handoverSchema, (handover) => {
      if (!webhooks.has(provider, handover.instance)) return refuseUnregistered();
      handOver(simulator, handover);
      return Response.json(handover, { status: 201 });
    }));
  return app;
}

/** The agent's own words, and a person for a customer who asks for one. */
async function answer(simulator: CloudContext, reply: SimulatedReply): Promise<void> {
  await waitUnlessClosing(arrivalMs, simulator.closing);
  if (simulator.closing.aborted) return;
  const { instance, waId, content } = reply;
  const words = "text" in content ? content.text ?? "" : "";
  const wantsPerson = /atendente|humano|pessoa|person|human/i.test(words);
  const body = wantsPerson
    ? "Vou chamar uma pessoa."
    : "Sou o assistente virtual. Como posso ajudar?";
  const echo = {
    id: channelOf(provider).createMessageId(),
    timestamp: toSeconds(simulator.store.now().toISOString()),
    message: { messaging_product: "whatsapp", to: waId, type: "text", text: { body } },
  };
  simulator.webhooks.send(
    provider,
    instance,
    wrap(reply, "standby", {
      standby: { message_echoes: [echo] },
    }),
  );
  if (wantsPerson) {
    handOver(simulator, { instance, waId, to: "service", summary: `O cliente escreveu: ${words}` });
  }
}

/** Gives a conversation to a responder, and tells the service where it gains or loses it. */
function handOver(
  { responders, store, webhooks }: CloudContext,
  { instance, waId, to, summary }: z.infer<typeof handoverSchema>,
): void {
  const from = responders.holderOf(instance, waId);
  responders.give(instance, waId, to);
  const isOurs = to === "service";
  if (!isOurs && from !== "service") return;
  const type = isOurs ? "control_passed" : "control_taken";
  const context = summary === undefined
    ? {}
    : { conversation_context: { type: "summary", summary: { text: summary } } };
  const told = isOurs
    ? { previous_owner_role: roleOf(from), new_owner_role: "escalation", ...context }
    // The escalation partner alone takes.
    : { new_owner_role: "escalation", metadata: "Control taken", ...context };
  // Meta names the number as the recipient: there is no `metadata`.
  const value = {
    messaging_product: "whatsapp",
    recipient: { display_phone_number: instance, phone_number_id: instance },
    sender: { phone_number: waId },
    timestamp: toSeconds(store.now().toISOString()),
    ...{ type, [type]: told },
  };
  webhooks.send(provider, instance, wrapChange("messaging_handovers", value));
}

function roleOf(responder: Responder): string {
  return { service: "escalation", agent: "ai_agent", other: "customer_service" }[responder];
}

const threadSchema = z.object({
  messaging_product: z.literal("whatsapp"),
  to: z.string().regex(/^\+?[\d\s()-]{6,24}$/).optional(),
  recipient: z.string().min(1).optional(),
  action: z.enum(["pass", "release", "take"]),
  metadata: z.string().max(2_000).optional(),
  control_pass: z.object({
    target_role: z.enum([
      ...["customer_service", "marketing", "utility", "ctwa", "ai_agent", "escalation"] as const,
    ]),
  }).optional(),
});

/** `POST /{version}/{phone-number-id}/thread_control`. `errorFormat`: how Meta words planned faults. */
export function createThreadControl(simulator: CloudContext, errorFormat: ErrorFormat): Hono {
  const app = new Hono();
  app.post(
    "/:version{v[0-9]+\\.[0-9]+}/:phoneNumberId/thread_control",
    (context) => receiveControl(simulator, errorFormat, context),
  );
  return app;
}

async function receiveControl(
  simulator: CloudContext,
  errorFormat: ErrorFormat,
  context: Context,
): Promise<Response> {
  const request = context.req.raw;
  if (readBearerToken(request) === undefined) return refuseGraph(invalidToken);
  const parsed = parseValue(threadSchema, declaresJson(request) ? await readJson(request) : {});
  if (!parsed.success) return refuse("The body is not valid.");
  const { to, recipient, action, control_pass: pass } = parsed.data;
  const waId = to?.replace(/\D/g, "") ?? recipient;
  if (waId === undefined) return refuse("The parameter to is required.");
  const instance = context.req.param("phoneNumberId") ?? "";
  const { responders } = simulator;
  return await answerSend(simulator, { provider, instance, to: [waId] }, errorFormat, () => {
    if (action === "take") {
      if (!responders.isEscalation(instance)) {
        return refuse("Only the escalation partner may take a thread.", 2_494_191);
      }
      responders.give(instance, waId, "service");
      return Response.json({ success: true });
    }
    if (responders.holderOf(instance, waId) !== "service") {
      return refuse("Only the owner of the thread may do this.");
    }
    const role = pass?.target_role ?? "escalation";
    if (role === "ai_agent" && !responders.hasAgent(instance)) {
      return refuse("No responder of this number has the role.");
    }
    const isOwn = role === "escalation" && responders.isEscalation(instance);
    const receiver = role === "ai_agent" ? "agent" : isOwn ? "service" : "other";
    responders.give(instance, waId, action === "release" ? null : receiver);
    return Response.json({ success: true });
  });
}

function refuse(details: string, subcode?: number): Response {
  return refuseGraph({ ...describeFault(100), details, subcode });
}
