/** What the console and tests do on the simulated phones, and where webhooks are registered. */
import { type Context, Hono } from "hono";
import type * as z from "zod";
import { listFlaws, readJson } from "./json_request.ts";
import { readChat, readingSchema, replySchema, writeReply } from "./phones.ts";
import type { SimulatedWorld } from "./simulated_world.ts";
import { verifyWebhook, webhookSchema } from "./webhooks.ts";

/** `POST /webhooks`, `GET /webhooks`, `POST /replies`, `POST /readings`, all below `/simulator`. */
export function createPhoneApi(world: SimulatedWorld): Hono {
  const app = new Hono();
  app.get("/webhooks", () => Response.json({ items: world.webhooks.list() }));
  app.post("/webhooks", (context) =>
    withBody(context, webhookSchema, async (webhook) => {
      if (webhook.provider === "whatsapp_cloud" && !await verifyWebhook(webhook)) {
        return Response.json({
          error: "verification_failed",
          message: "The address did not answer the challenge: is the verifyToken the instance's?",
        }, { status: 400 });
      }
      world.webhooks.register(webhook);
      const { provider, instance } = webhook;
      return Response.json({ provider, instance }, { status: 201 });
    }));
  app.post("/replies", (context) =>
    withBody(context, replySchema, (request) => {
      if (!world.webhooks.has(request.provider, request.instance)) return refuseUnregistered();
      return Response.json(writeReply(world, request), { status: 201 });
    }));
  app.post("/readings", (context) =>
    withBody(context, readingSchema, (request) => {
      if (!world.webhooks.has(request.provider, request.instance)) return refuseUnregistered();
      return Response.json({ read: readChat(world, request) });
    }));
  return app;
}

function refuseUnregistered(): Response {
  return Response.json({
    error: "no_webhook",
    message: "No webhook is registered for this instance: POST /simulator/webhooks.",
  }, { status: 409 });
}

async function withBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  answer: (request: z.infer<Schema>) => Response | Promise<Response>,
): Promise<Response> {
  const body = await readJson(context.req.raw);
  const parsed = schema.safeParse(body);
  if (parsed.success) return await answer(parsed.data);
  const issues = listFlaws(parsed.error, body).map(({ path, message }) => ({ path, message }));
  return Response.json({ error: "invalid_request", issues }, { status: 400 });
}
