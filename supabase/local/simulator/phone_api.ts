/** Endpoints by which the console and tests act on the simulated phones and register webhooks. */
import { Hono } from "hono";
import { changeMessage, deletionSchema, editSchema } from "./changes.ts";
import {
  changeConnection,
  connectionSchema,
  listConnections,
  pairingSchema,
  reportConnection,
  sessionSchema,
} from "./connections.ts";
import { withBody } from "./json_request.ts";
import { findReplyFlaw, readChat, readingSchema, replySchema, writeReply } from "./phones.ts";
import type { SimulatorContext } from "./context.ts";
import { channelOf } from "./channels.ts";
import { receiptSchema, showReceipt } from "./receipts.ts";
import { webhookSchema } from "./webhook_request.ts";

/**
 * `POST /webhooks`, `GET /webhooks`, `POST /replies`, `POST /readings`, `POST /edits`,
 * `POST /deletions`, `POST /receipts`, `GET /connections`, `POST /connections`, `POST /sessions`, `POST /pairings`, all below
 * `/simulator`.
 */
export function createPhoneApi(simulator: SimulatorContext): Hono {
  const app = new Hono();
  app.get("/webhooks", () => Response.json({ items: simulator.webhooks.list() }));
  app.post(
    "/webhooks",
    (context) =>
      withBody(context, webhookSchema, async (webhook) => {
        const channel = channelOf(webhook.provider);
        if (!await channel.webhook.verify(webhook)) {
          return Response.json({
            error: "verification_failed",
            message: "The address did not answer the challenge: is the verifyToken the instance's?",
          }, { status: 400 });
        }
        simulator.webhooks.register(channel, webhook);
        const { provider, instance } = webhook;
        return Response.json({ provider, instance }, { status: 201 });
      }),
  );
  app.post("/replies", (context) =>
    withBody(context, replySchema, (request) => {
      const flaw = findReplyFlaw(simulator, request);
      if (flaw !== null) {
        return Response.json({ error: "invalid_request", issues: [flaw] }, { status: 400 });
      }
      if (!simulator.webhooks.has(request.provider, request.instance)) return refuseUnregistered();
      return Response.json(writeReply(simulator, request), { status: 201 });
    }));
  app.post("/readings", (context) =>
    withBody(context, readingSchema, (request) => {
      if (!simulator.webhooks.has(request.provider, request.instance)) return refuseUnregistered();
      return Response.json({ read: readChat(simulator, request) });
    }));
  for (const [path, schema] of [["/edits", editSchema], ["/deletions", deletionSchema]] as const) {
    app.post(path, (context) =>
      withBody(context, schema, (request) => {
        if (!simulator.webhooks.has(request.provider, request.instance)) {
          return refuseUnregistered();
        }
        const change = changeMessage(simulator, request);
        return change === undefined ? refuseUnknown() : Response.json(change, { status: 201 });
      }));
  }
  app.post("/receipts", (context) =>
    withBody(context, receiptSchema, (request) => {
      const { provider, instance } = request;
      if (!simulator.webhooks.has(provider, instance)) return refuseUnregistered();
      const reply = showReceipt(simulator, request, context.req.raw);
      return reply === undefined ? refuseUnasked() : Response.json(reply, { status: 201 });
    }));
  app.get("/connections", () => Response.json({ items: listConnections(simulator) }));
  app.post("/connections", (context) =>
    withBody(context, connectionSchema, (connection) => {
      const { provider, instance } = connection;
      if (!simulator.webhooks.has(provider, instance)) return refuseUnregistered();
      changeConnection(simulator, channelOf(provider), connection);
      return Response.json(connection);
    }));
  app.post("/sessions", (context) =>
    withBody(context, sessionSchema, (session) => {
      const { provider, instance, behavior } = session;
      simulator.connections.session(provider, instance).behavior = behavior;
      return Response.json(session);
    }));
  app.post("/pairings", (context) =>
    withBody(context, pairingSchema, (pairing) => {
      if (!simulator.connections.pair(pairing)) return refuseCode();
      const { provider, instance, phone } = pairing;
      const connection = { provider, instance, state: "connected" } as const;
      reportConnection(simulator, channelOf(provider), connection);
      return Response.json({ ...connection, phone }, { status: 201 });
    }));
  return app;
}

function refuseUnknown(): Response {
  return Response.json({
    error: "message_not_found",
    message: "No phone of this instance has a message of this id: GET /simulator/replies.",
  }, { status: 404 });
}

function refuseUnasked(): Response {
  return Response.json({
    error: "message_not_found",
    message: "No message of this id asks for a payment, or is a Pix code: GET /simulator/messages.",
  }, { status: 404 });
}

/** What the phone shows: it could not log in. */
function refuseCode(): Response {
  return Response.json({
    error: "code_over",
    message: "The code is over, or is none of this instance: ask the gateway for a new one.",
  }, { status: 409 });
}

export function refuseUnregistered(): Response {
  return Response.json({
    error: "no_webhook",
    message: "No webhook is registered for this instance: POST /simulator/webhooks.",
  }, { status: 409 });
}
