/**
 * The session of an instance with its phone (pages QR code, Telefone, Status, Dispositivo, Reiniciar,
 * Desconectar). State changes are GETs, as documented.
 */
import { type Context, Hono } from "hono";
import { zapi } from "./channel.ts";
import { answerAsProxy, type Connections, reportConnection } from "../connections.ts";
import type { SimulatorContext } from "../context.ts";

type Session = ReturnType<Connections["session"]>;

/** The routes below `/instances/{id}/token/{token}`. */
export function createZapiSessions(
  simulator: SimulatorContext,
  checkToken: (request: Request) => Response | undefined,
): Hono {
  const app = new Hono();
  const { connections } = simulator;
  const on = (path: string, answer: (session: Session, context: Context) => Response): void => {
    app.get(path, (context) => {
      const session = connections.session("zapi", context.req.param("instance") ?? "");
      if (session.behavior === "down") return answerAsProxy();
      const refusal = checkToken(context.req.raw);
      if (refusal !== undefined) return refusal;
      if (session.behavior === "error") return Response.json({ error: "Internal error" });
      return answer(session, context);
    });
  };
  const change = (context: Context, state: "connected" | "disconnected"): Response => {
    const connection = {
      provider: "zapi",
      instance: context.req.param("instance") ?? "",
      state,
    } as const;
    connections.set(connection);
    reportConnection(simulator, zapi, connection);
    return Response.json({ value: true });
  };
  on("/status", ({ isLost }) =>
    Response.json({
      connected: !isLost,
      error: isLost ? "You are not connected." : "You are already connected.",
      smartphoneConnected: !isLost,
    }));
  on(
    "/device",
    ({ isLost, phone }) =>
      isLost ? Response.json({ error: "You are not connected." }, { status: 400 }) : Response.json({
        ...(phone === undefined ? {} : { phone }),
        imgUrl: null,
        name: "Company",
        device: { sessionName: "Z-API", device_model: "Z-API" },
        originalDevice: "smba",
        sessionId: 1,
        isBusiness: true,
      }),
  );
  on("/qr-code", (session) => {
    if (!session.isLost) return Response.json({ connected: true });
    if (session.behavior === "passkey") return Response.json({ challenge: { challenge: "…" } });
    const text = connections.showQr(session);
    return text === undefined ? Response.json({}) : Response.json({ value: text });
  });
  on("/phone-code/:phone", (session) => {
    if (!session.isLost) return Response.json({ connected: true });
    if (session.behavior === "passkey") return Response.json({ challenge: { challenge: "…" } });
    return Response.json({ code: connections.showTypedCode(session) });
  });
  on("/restart", () => Response.json({ value: true }));
  on("/disconnect", (_, context) => change(context, "disconnected"));
  return app;
}
