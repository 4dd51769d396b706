/**
 * Simulates Evolution API v2 after its message schema and controllers: `apikey` header, 201 with
 * the message object, validation errors as a list of sentences, and `delay` as a sleep inside the
 * request.
 */
import { type Context, Hono } from "hono";
import type * as z from "zod";
import { createEvolutionActions } from "./actions.ts";
import { createAddress, sendSchemas, type SendVerb } from "./messages.ts";
import type { ChannelRoutes } from "../channel.ts";
import { createEvolutionSessions } from "./sessions.ts";
import type { Fault } from "../faults.ts";
import { declaresJson, listFlaws, parseValue, readJson } from "../json_request.ts";
import type { SimulatorContext } from "../context.ts";
import { answerSend, type ErrorFormat, retryAfterHeader } from "../spoiled_answer.ts";
import { waitUnlessClosing } from "../waits.ts";

/** The routes below `/simulator/evolution`: `message/{verb}/{instanceName}`. */
export function createEvolutionRoutes(simulator: SimulatorContext): ChannelRoutes {
  const app = new Hono();
  for (const verb of Object.keys(sendSchemas) as SendVerb[]) {
    app.post(`/message/${verb}/:instance`, (context) => receiveSend(simulator, verb, context));
  }
  const errorFormat = (number: string): ErrorFormat =>
    createErrorFormat(`${createAddress(number)}@s.whatsapp.net`, number);
  app.route("/", createEvolutionActions(simulator, { refuse, wordFlaws, errorFormat }));
  app.route("/", createEvolutionSessions(simulator, refuse));
  app.all(
    "*",
    (context) => refuse(404, "Not Found", [`Cannot ${context.req.method} ${context.req.path}`]),
  );
  return { provider: app };
}

async function receiveSend(
  simulator: SimulatorContext,
  verb: SendVerb,
  context: Context,
): Promise<Response> {
  const request = context.req.raw;
  if (!request.headers.get("apikey")) return refuse(401, "Unauthorized", "Unauthorized");
  // The real server's JSON parser ignores a body of another type, so every required field is
  // missing.
  const body = declaresJson(request) ? await readJson(request) : {};
  const parsed = parseValue(sendSchemas[verb], body);
  if (!parsed.success) return refuse(400, "Bad Request", [wordFlaws(parsed.error, body)]);
  const { number, delayMs, replyTo, content, wireMessage, wireType } = parsed.data;
  const to = number.replace(/\D/g, "");
  const waId = createAddress(number);
  const remoteJid = `${waId}@s.whatsapp.net`;
  if (!/^\d{8,15}$/.test(waId)) {
    return refuse(400, "Bad Request", [{ jid: remoteJid, exists: false, number }]);
  }
  await waitUnlessClosing(delayMs, simulator.closing);
  const instance = context.req.param("instance") ?? "";
  const instanceId = await createInstanceId(instance);
  const target = { provider: "evolution", instance, to: [to, waId] } as const;
  return answerSend(simulator, target, createErrorFormat(remoteJid, number), (answer) => {
    const id = `3EB0${crypto.randomUUID().replaceAll("-", "").toUpperCase().slice(0, 18)}`;
    const { reactsTo } = parsed.data;
    const isShown = reactsTo === undefined ||
      isOwnMessage(simulator, instance, reactsTo.id) === reactsTo.fromMe;
    if (isShown) {
      simulator.store.addMessage({
        ...content,
        provider: "evolution",
        instance,
        providerMessageId: id,
        to,
        waId,
        typingMs: delayMs,
        correlationId: null,
        replyTo,
        answer,
        body,
      });
    }
    return Response.json({
      key: { remoteJid, fromMe: true, id },
      pushName: "",
      status: "PENDING",
      message: wireMessage,
      contextInfo: null,
      messageType: wireType,
      messageTimestamp: Math.floor(simulator.store.now().getTime() / 1000),
      instanceId,
      source: "unknown",
    }, { status: 201 });
  });
}

/** Whether the company sent the message: what no customer wrote. */
function isOwnMessage({ store }: SimulatorContext, instance: string, id: string): boolean {
  const { total } = store.logs.replies.read({
    matches: (reply) =>
      reply.instance === instance && reply.providerMessageId === id &&
      reply.writtenBy === "customer",
    limit: 1,
  });
  return total === 0;
}

/** Derives a UUID from the instance name; the same name always gives the same UUID. */
async function createInstanceId(instance: string): Promise<string> {
  const name = new TextEncoder().encode(instance);
  const hex = new Uint8Array(await crypto.subtle.digest("SHA-256", name)).toHex();
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`]
    .concat(hex.slice(20, 32)).join("-");
}

/** Words the issues like the JSON Schema validator that Evolution uses. */
function wordFlaws(error: z.ZodError, body: unknown): string[] {
  return listFlaws(error, body).map(({ path, message, missing }) => {
    if (!missing) return `${path} ${message}`.trim();
    const keys = path.split(".");
    const property = keys.pop();
    return `${["instance", ...keys].join(".")} requires property "${property}"`;
  });
}

function createErrorFormat(remoteJid: string, number: string): ErrorFormat {
  return {
    reject: (fault: Fault) =>
      refuse(400, "Bad Request", [
        fault.code === undefined ? { jid: remoteJid, exists: false, number } : String(fault.code),
      ]),
    rateLimit: (fault: Fault) =>
      refuse(429, "Too Many Requests", ["Too Many Requests"], retryAfterHeader(fault)),
    serverError: () => refuse(500, "Internal Server Error", ["Connection Closed"]),
    disconnected: () => refuse(400, "Bad Request", ["Error: Connection Closed"]),
  };
}

function refuse(
  status: number,
  error: string,
  message: unknown,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ status, error, response: { message } }, { status, headers });
}
