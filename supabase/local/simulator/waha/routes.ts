/**
 * Simulates WAHA after its documentation: `X-Api-Key`, 201 in the form of the session's engine, 422 for a
 * session that is not WORKING or an engine without the call, and 500 for whatever the engine throws.
 */
import { type Context, Hono } from "hono";
import type * as z from "zod";
import type { ChannelRoutes } from "../channel.ts";
import type { SimulatorContext } from "../context.ts";
import type { Fault } from "../faults.ts";
import { listFlaws, parseValue, readJson } from "../json_request.ts";
import { type Answer, fillContent } from "../records.ts";
import { answerSend, type ErrorFormat, retryAfterHeader } from "../spoiled_answer.ts";
import { createWahaActions } from "./actions.ts";
import { engineOf, type WahaEngine } from "./engine.ts";
import { bareIdOf, createBareId, digitsOf, writeId } from "./ids.ts";
import { reactionSchema, sendSchemas, type WahaSend } from "./messages.ts";
import { createWahaSessions } from "./sessions.ts";

/** The routes below `/simulator/waha`: `api/...`. */
export function createWahaRoutes(simulator: SimulatorContext): ChannelRoutes {
  const app = new Hono();
  app.use("/api/*", async (context, next) => {
    if (context.req.header("X-Api-Key")) return await next();
    return refuse(401, { message: "Unauthorized" });
  });
  for (const [verb, schema] of Object.entries(sendSchemas)) {
    app.post(`/api/${verb}`, (context) => receiveSend(simulator, verb, schema, context));
  }
  app.put("/api/reaction", (context) => receiveReaction(simulator, context));
  app.route("/api", createWahaSessions(simulator, { refuse, refuseBody }));
  app.route("/api", createWahaActions(simulator, { refuse, refuseBody, errorFormat }));
  app.all(
    "*",
    ({ req }) => refuse(404, { message: `Cannot ${req.method} ${req.path}`, error: "Not Found" }),
  );
  return { provider: app };
}

async function receiveSend(
  simulator: SimulatorContext,
  verb: string,
  schema: z.ZodType<WahaSend>,
  context: Context,
): Promise<Response> {
  const body = await readJson(context.req.raw);
  const parsed = parseValue(schema, body);
  if (!parsed.success) return refuseBody(parsed.error, body);
  const { session, chatId } = parsed.data;
  const engine = engineOf(session);
  if (verb === "sendList" && engine === "WEBJS") return lacksCall();
  return await take(
    simulator,
    { session, chatId },
    (answer) => keep(simulator, { ...parsed.data, engine, answer, body }),
  );
}

async function receiveReaction(simulator: SimulatorContext, context: Context): Promise<Response> {
  const body = await readJson(context.req.raw);
  const parsed = parseValue(reactionSchema, body);
  if (!parsed.success) return refuseBody(parsed.error, body);
  const { session, messageId, reaction: emoji } = parsed.data;
  const chatId = messageId.split("_")[1] ?? "";
  const content = fillContent({
    messageType: "reaction",
    parts: {
      reaction: { providerMessageId: bareIdOf(messageId), emoji: emoji === "" ? null : emoji },
    },
  });
  const send = { session, chatId, replyTo: null, content, engine: engineOf(session), body };
  return await take(simulator, send, (answer) => keep(simulator, { ...send, answer }));
}

function take(
  simulator: SimulatorContext,
  { session, chatId }: Pick<WahaSend, "session" | "chatId">,
  accept: (answer: Answer) => Response,
): Promise<Response> {
  const target = { provider: "waha", instance: session, to: [digitsOf(chatId)] } as const;
  return answerSend(simulator, target, errorFormat(session), accept);
}

function keep(
  { store }: SimulatorContext,
  send: WahaSend & {
    readonly engine: WahaEngine;
    readonly answer: Answer;
    readonly body: unknown;
  },
): Response {
  const { session, chatId, replyTo, content, engine, answer, body } = send;
  const providerMessageId = createBareId();
  const waId = digitsOf(chatId);
  store.addMessage({
    ...content,
    provider: "waha",
    instance: session,
    providerMessageId,
    to: waId,
    waId,
    typingMs: 0,
    correlationId: null,
    replyTo,
    answer,
    body,
  });
  return Response.json(acceptance(engine, chatId, providerMessageId), { status: 201 });
}

/** What each engine answers: the message in its own form. */
function acceptance(engine: WahaEngine, chatId: string, bare: string): unknown {
  const full = writeId(chatId, bare, true);
  switch (engine) {
    case "NOWEB":
      return {
        key: { remoteJid: chatId.replace("@c.us", "@s.whatsapp.net"), fromMe: true, id: bare },
        status: "PENDING",
      };
    case "WEBJS":
      return { id: { fromMe: true, remote: chatId, id: bare, _serialized: full } };
    case "GOWS":
      return { id: full, _data: { Info: { ID: bare } } };
  }
}

function errorFormat(session: string): ErrorFormat {
  return {
    reject: (fault: Fault) =>
      throwError(
        fault.code === undefined
          ? "2 UNKNOWN: no LID found for this number from server"
          : `2 UNKNOWN: server returned error ${fault.code}`,
      ),
    rateLimit: (fault: Fault) =>
      refuse(429, { message: "Too Many Requests" }, retryAfterHeader(fault)),
    serverError: () => throwError("Internal error"),
    disconnected: () =>
      Response.json({
        error: "Session status is not as expected. Try again later or restart the session",
        session,
        status: "FAILED",
        expected: ["WORKING"],
      }, { status: 422 }),
  };
}

/** Whatever an engine throws. */
function throwError(message: string): Response {
  return Response.json({
    statusCode: 500,
    timestamp: new Date().toISOString(),
    exception: { message, name: "Error" },
    version: { version: "2026.9.1", tier: "CORE" },
  }, { status: 500 });
}

/** An engine without the call. */
export function lacksCall(): Response {
  return refuse(422, { message: "The method is not implemented by the engine." });
}

function refuseBody(error: z.ZodError, body: unknown): Response {
  const message = listFlaws(error, body).map(({ path, message }) => `${path} ${message}`.trim());
  return refuse(400, { message, error: "Bad Request" });
}

function refuse(
  statusCode: number,
  members: Readonly<Record<string, unknown>>,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ ...members, statusCode }, { status: statusCode, headers });
}
