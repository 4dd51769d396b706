/** The session of WAHA with its phone (page Sessions): its state, the codes that pair it, restart and logout. */
import { type Context, Hono } from "hono";
import type * as z from "zod";
import { answerAsProxy, type Connections, reportConnection, setWebhook } from "../connections.ts";
import type { SimulatorContext } from "../context.ts";
import { parseValue, readJson } from "../json_request.ts";
import type { WahaConventions } from "./actions.ts";
import { waha } from "./channel.ts";
import { engineOf } from "./engine.ts";
import { toChatId } from "./ids.ts";
import { codeRequestSchema, sessionSchema } from "./messages.ts";

type Session = ReturnType<Connections["session"]>;
type SessionConfig = z.infer<typeof sessionSchema>["config"];

/** The routes `/sessions…` and `/{session}/auth/…`. */
export function createWahaSessions(
  simulator: SimulatorContext,
  { refuse, refuseBody }: Pick<WahaConventions, "refuse" | "refuseBody">,
): Hono {
  const app = new Hono();
  const { connections } = simulator;
  const configs = new Map<string, SessionConfig>();
  const configure = (name: string, config: SessionConfig): void => {
    configs.set(name, config);
    for (const { url, hmac } of config.webhooks) {
      const appSecret = hmac?.key;
      setWebhook(simulator, waha, { instance: name, url, appSecret });
    }
  };
  const on = (
    method: "GET" | "POST" | "PUT",
    path: string,
    answer: (session: Session, name: string, context: Context) => Response | Promise<Response>,
  ): void => {
    app.on(method, path, (context: Context) => {
      const name = context.req.param("session") ?? "";
      const session = connections.session("waha", name);
      if (session.behavior === "down") return answerAsProxy();
      if (session.behavior === "absent") return refuse(404, { message: "Session not found" });
      if (session.behavior === "error") {
        return Response.json({ statusCode: 500, exception: { message: "Internal error" } }, {
          status: 500,
        });
      }
      return answer(session, name, context);
    });
  };
  // It is paired at once.
  app.post("/sessions", async ({ req }) => {
    const body = await readJson(req.raw);
    const parsed = parseValue(sessionSchema, body);
    if (!parsed.success) return refuseBody(parsed.error, body);
    const { name, config } = parsed.data;
    configure(name, config);
    return Response.json({ name, status: "STARTING", config }, { status: 201 });
  });
  on("GET", "/sessions/:session", (session, name) => tell(session, name, 200, configs.get(name)));
  // A session that is not STOPPED starts again with the new configuration.
  on("PUT", "/sessions/:session", async (session, name, { req }) => {
    const body = await readJson(req.raw);
    const parsed = parseValue(sessionSchema, body);
    if (!parsed.success) return refuseBody(parsed.error, body);
    configure(name, parsed.data.config);
    if (session.isLost) connections.showQr(session);
    return tell(session, name, 200, parsed.data.config);
  });
  on("POST", "/sessions/:session/restart", (session, name) => {
    if (session.isLost) connections.showQr(session);
    return tell(session, name, 201);
  });
  on("POST", "/sessions/:session/logout", (session, name) => {
    const { isLost } = session;
    const connection = { provider: "waha", instance: name, state: "disconnected" } as const;
    connections.set(connection);
    if (!isLost) reportConnection(simulator, waha, connection);
    connections.showQr(session);
    return tell(session, name, 201);
  });
  on("GET", "/:session/auth/qr", (session, name) => {
    const code = hasCode(session) ? connections.showQr(session) : undefined;
    return code === undefined ? refuseState(session, name) : Response.json({ value: code });
  });
  on("POST", "/:session/auth/request-code", async (session, name, { req }) => {
    const body = await readJson(req.raw);
    const parsed = parseValue(codeRequestSchema, body);
    if (!parsed.success) return refuseBody(parsed.error, body);
    if (!hasCode(session)) return refuseState(session, name);
    const code = connections.showTypedCode(session);
    return Response.json({ code: `${code.slice(0, 4)}-${code.slice(4)}` }, { status: 201 });
  });
  return app;
}

/** A session that was lost has no code before it is started again. */
function hasCode(session: Session): boolean {
  return statusOf(session) === "SCAN_QR_CODE";
}

function statusOf({ isLost, isPairing, behavior }: Session): string {
  if (!isLost) return "WORKING";
  if (behavior === "passkey") return "PASSKEY_REQUIRED";
  return isPairing ? "SCAN_QR_CODE" : "FAILED";
}

function tell(
  session: Session,
  name: string,
  status = 200,
  config: SessionConfig = { webhooks: [] },
): Response {
  const { isLost, phone } = session;
  return Response.json({
    name,
    status: statusOf(session),
    config,
    me: isLost || phone === undefined ? null : { id: toChatId(phone), pushName: "Loja" },
    engine: { engine: engineOf(name) },
  }, { status });
}

function refuseState(session: Session, name: string): Response {
  return Response.json({
    error: "Session status is not as expected. Try again later or restart the session",
    session: name,
    status: statusOf(session),
    expected: ["SCAN_QR_CODE"],
  }, { status: 422 });
}
