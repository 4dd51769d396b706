/** What the console and tests do on the simulated phones, and where webhooks are registered. */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { listFlaws, readJson } from "./json_request.ts";
import { readChat, readingSchema, replySchema, writeReply } from "./phones.ts";
import type { SimulatorContext } from "./context.ts";
import { templateStatuses } from "./template_library.ts";
import { verifyWebhook, webhookSchema } from "./webhooks.ts";

/** What Meta's reviewers would say of a template. */
const templateReviewSchema = z.object({
  templateId: z.string().min(1),
  status: z.enum(templateStatuses),
});

/**
 * `POST /webhooks`, `GET /webhooks`, `POST /replies`, `POST /readings`, `POST /template-reviews`,
 * all below `/simulator`.
 */
export function createPhoneApi(world: SimulatorContext): Hono {
  const app = new Hono();
  app.get("/webhooks", () => Response.json({ items: world.webhooks.list() }));
  app.post(
    "/webhooks",
    (context) =>
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
      }),
  );
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
  app.post(
    "/template-reviews",
    (context) =>
      withBody(context, templateReviewSchema, ({ templateId, status }) => {
        const template = world.templates.review(templateId, status);
        if (template !== undefined) return Response.json(template);
        return Response.json({
          error: "template_not_found",
          message:
            "No account has a template of this id: GET /simulator/graph/{WABA id}/message_templates.",
        }, { status: 404 });
      }),
  );
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
