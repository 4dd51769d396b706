/**
 * The session of an instance with its phone, after instance.controller.ts of 2.3.7: errors with status 200,
 * and a state of the list of instances that `connectionState` does not share after a logout.
 */
import { type Context, Hono } from "hono";
import { evolution } from "./channel.ts";
import * as z from "zod";
import { answerAsProxy, type Connections, reportConnection, setWebhook } from "../connections.ts";
import { parseValue, readJson } from "../json_request.ts";
import type { SimulatorContext } from "../context.ts";

/** What a webhook that was registered at the simulator is told. */
const everyEvent = [
  ...["MESSAGES_UPSERT", "MESSAGES_UPDATE", "MESSAGES_EDITED", "MESSAGES_DELETE", "CALL"],
  ...["SEND_MESSAGE", "SEND_MESSAGE_UPDATE", "CONNECTION_UPDATE", "CONTACTS_UPDATE"],
];

const webhookSchema = z.object({
  webhook: z.object({
    enabled: z.boolean(),
    url: z.url(),
    byEvents: z.boolean().optional(),
    base64: z.boolean().optional(),
    events: z.array(z.string()).min(1),
  }),
});

type Session = ReturnType<Connections["session"]>;
type Refuse = (status: number, error: string, message: unknown) => Response;

/** The routes `/instance/{verb}/{instanceName}`. */
export function createEvolutionSessions(simulator: SimulatorContext, refuse: Refuse): Hono {
  const app = new Hono();
  const { connections } = simulator;
  const on = (
    method: "GET" | "POST" | "DELETE",
    path: string,
    answer: (session: Session, instance: string, context: Context) => Response,
  ): void => {
    app.on(method, `/instance/${path}`, (context: Context) => {
      const { req } = context;
      const instance = req.param("instance") ?? req.query("instanceName") ?? "";
      const session = connections.session("evolution", instance);
      if (session.behavior === "down") return answerAsProxy();
      if (!req.header("apikey")) return refuse(401, "Unauthorized", "Unauthorized");
      if (session.behavior === "error") {
        return Response.json({ error: true, message: "Internal server error" });
      }
      return answer(session, instance, context);
    });
  };
  on("GET", "fetchInstances", ({ isLost, isPairing, phone }, name) =>
    Response.json([{
      id: crypto.randomUUID(),
      name,
      connectionStatus: isLost ? isPairing ? "connecting" : "close" : "open",
      ownerJid: isLost || phone === undefined ? null : `${phone}@s.whatsapp.net`,
      integration: "WHATSAPP-BAILEYS",
    }]));
  app.get("/webhook/find/:instance", (context) => {
    const instance = context.req.param("instance");
    const { behavior, webhookUrl: setUrl, webhookEvents } = connections.session(
      "evolution",
      instance,
    );
    const url = setUrl ?? simulator.webhooks.urlOf("evolution", instance);
    if (behavior === "down") return answerAsProxy();
    if (!context.req.header("apikey")) return refuse(401, "Unauthorized", "Unauthorized");
    return Response.json(
      url === undefined
        ? null
        : { enabled: true, url, events: webhookEvents ?? everyEvent, webhookByEvents: false },
    );
  });
  app.post("/webhook/set/:instance", async (context) => {
    const instance = context.req.param("instance");
    if (connections.session("evolution", instance).behavior === "down") return answerAsProxy();
    if (!context.req.header("apikey")) return refuse(401, "Unauthorized", "Unauthorized");
    const body = parseValue(webhookSchema, await readJson(context.req.raw));
    if (!body.success) return refuse(400, "Bad Request", ["Invalid webhook"]);
    const { url, events } = body.data.webhook;
    setWebhook(simulator, evolution, { instance, url, events });
    return Response.json({ ...body.data.webhook, instanceId: crypto.randomUUID() }, {
      status: 201,
    });
  });
  on("GET", "connect/:instance", (session, instanceName, { req }) => {
    if (!session.isLost) return Response.json({ instance: { instanceName, state: "open" } });
    if (session.behavior === "passkey") {
      return Response.json({ error: true, message: "This account requires a passkey to link" });
    }
    // A number that is named while an attempt for a QR code is under way is ignored.
    const wantsTyped = req.query("number") !== undefined &&
      (!session.isPairing || session.typed !== undefined);
    const pairingCode = wantsTyped
      ? session.typed?.text ?? connections.showTypedCode(session)
      : null;
    const code = connections.showQr(session);
    if (code === undefined) return Response.json({ count: 0 });
    return Response.json({ pairingCode, code, base64: "data:image/png;base64,", count: 1 });
  });
  on(
    "POST",
    "restart/:instance",
    ({ isLost }, instanceName) =>
      isLost
        ? Response.json({ error: true, message: "The instance is not connected" })
        : Response.json({ instance: { instanceName, status: "open" } }),
  );
  on("DELETE", "logout/:instance", ({ isLost, isPairing }, instance) => {
    if (isLost && !isPairing) {
      return refuse(400, "Bad Request", [`The "${instance}" instance is not connected`]);
    }
    const connection = { provider: "evolution", instance, state: "disconnected" } as const;
    connections.set(connection);
    if (!isLost) reportConnection(simulator, evolution, connection);
    return Response.json({
      status: "SUCCESS",
      error: false,
      response: { message: "Instance logged out" },
    });
  });
  return app;
}
