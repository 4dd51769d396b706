/**
 * Simulates Z-API after its documentation: credentials in the path, `Client-Token` if the account's
 * token security is on, `{error}` for a refusal. An acceptance means *queued at Z-API*.
 */
import { type Context, Hono } from "hono";
import type * as z from "zod";
import type { ChannelRoutes } from "../channel.ts";
import type { Fault } from "../faults.ts";
import { declaresJson, listFlaws, parseValue, readJson } from "../json_request.ts";
import type { SimulatorContext } from "../context.ts";
import { answerSend, type ErrorFormat, retryAfterHeader } from "../spoiled_answer.ts";
import { editSent } from "../actions.ts";
import { createZapiActions } from "./actions.ts";
import { createZapiSessions } from "./sessions.ts";
import { createId } from "./ids.ts";
import { sendSchemas, type ZapiSend } from "./messages.ts";

/** The routes below `/simulator/zapi`; instances send to `instances/{id}/token/{token}/...`. */
export function createZapiRoutes(simulator: SimulatorContext): ChannelRoutes {
  const app = new Hono();
  for (const [path, schema] of Object.entries(sendSchemas)) {
    const route = `/instances/:instance/token/:token${path}`;
    app.post(route, (context) => receiveSend(simulator, schema, context));
    app.all(route, () => refuse(405, "Method Not Allowed"));
  }
  const check = (request: Request): Response | undefined => checkHeaders(simulator, request);
  const actions = createZapiActions(simulator, { check, refuse, errorFormat });
  app.route("/instances/:instance/token/:token", actions);
  const sessions = createZapiSessions(simulator, (request) => checkToken(simulator, request));
  app.route("/instances/:instance/token/:token", sessions);
  app.all("*", () =>
    Response.json({
      error: "NOT_FOUND",
      message: "Unable to find matching target resource method",
    }, { status: 404 }));
  return { provider: app };
}

async function receiveSend(
  simulator: SimulatorContext,
  schema: z.ZodType<ZapiSend>,
  context: Context,
): Promise<Response> {
  const refusal = checkHeaders(simulator, context.req.raw);
  if (refusal !== undefined) return refusal;
  const body = await readJson(context.req.raw);
  const parsed = parseValue(schema, body);
  if (!parsed.success) {
    const flaw = listFlaws(parsed.error, body)[0];
    return refuse(400, `${flaw?.path ?? ""} ${flaw?.message ?? "Bad Request"}`.trim());
  }
  const { to, content, typingMs, replyTo, edits } = parsed.data;
  const instance = context.req.param("instance") ?? "";
  return answerSend(simulator, { provider: "zapi", instance, to: [to] }, errorFormat, (answer) => {
    if (edits !== null) {
      const target = { provider: "zapi", instance, providerMessageId: edits } as const;
      editSent(simulator, target, content.text ?? "");
      return Response.json({ zaapId: createId(32), messageId: edits, id: edits });
    }
    const providerMessageId = createId(20);
    simulator.store.addMessage({
      ...content,
      provider: "zapi",
      instance,
      providerMessageId,
      to,
      waId: to,
      typingMs,
      correlationId: null,
      replyTo,
      answer,
      body,
    });
    return Response.json({
      zaapId: createId(32),
      messageId: providerMessageId,
      id: providerMessageId,
    });
  });
}

function checkHeaders(simulator: SimulatorContext, request: Request): Response | undefined {
  if (!declaresJson(request)) return refuse(415, "Unsupported Media Type");
  return checkToken(simulator, request);
}

function checkToken(simulator: SimulatorContext, request: Request): Response | undefined {
  const expected = simulator.zapiClientToken;
  const given = request.headers.get("Client-Token");
  if (expected === undefined || given === expected) return undefined;
  return refuse(403, given === null ? "null not allowed" : "Client-Token not allowed");
}

const errorFormat: ErrorFormat = {
  reject: (fault: Fault) => refuse(400, String(fault.code ?? "Phone number does not exist")),
  rateLimit: (fault: Fault) => refuse(429, "Too Many Requests", retryAfterHeader(fault)),
  serverError: () => refuse(500, "Internal Server Error"),
  disconnected: () => refuse(400, "You are not connected"),
};

function refuse(status: number, error: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error }, { status, headers });
}
