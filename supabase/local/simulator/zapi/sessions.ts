/**
 * The session of an instance with its phone (pages QR code, Telefone, Status, Dispositivo, Reiniciar,
 * Desconectar). State changes are GETs, as documented.
 */
import { type Context, Hono } from "hono";
import { zapi } from "./channel.ts";
import * as z from "zod";
import { answerAsProxy, type Connections, reportConnection, setWebhook } from "../connections.ts";
import { parseValue, readJson } from "../json_request.ts";
import type { SimulatorContext } from "../context.ts";

const webhookSchema = z.object({ value: z.url(), notifySentByMe: z.boolean().optional() });

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
  on("/me", ({ isLost, webhookUrl: setUrl }, context) => {
    const id = context.req.param("instance") ?? "";
    const webhookUrl = setUrl ?? simulator.webhooks.urlOf("zapi", id) ?? null;
    return Response.json({
      id,
      name: "Simulated",
      connected: !isLost,
      deliveryCallbackUrl: webhookUrl,
      receivedCallbackUrl: null,
      receivedAndDeliveryCallbackUrl: webhookUrl,
      messageStatusCallbackUrl: webhookUrl,
      connectedCallbackUrl: webhookUrl,
      disconnectedCallbackUrl: webhookUrl,
    });
  });
  app.put("/update-every-webhooks", async (context) => {
    const instance = context.req.param("instance") ?? "";
    if (connections.session("zapi", instance).behavior === "down") return answerAsProxy();
    const refusal = checkToken(context.req.raw);
    if (refusal !== undefined) return refusal;
    const body = parseValue(webhookSchema, await readJson(context.req.raw));
    if (!body.success) return Response.json({ error: "Bad Request" }, { status: 400 });
    setWebhook(simulator, zapi, { instance, url: body.data.value });
    return Response.json({ value: true });
  });
  on("/restart", () => Response.json({ value: true }));
  on("/disconnect", (_, context) => change(context, "disconnected"));
  return app;
}
