/** `GET /{version}/{phone number id}?fields=…` (Graph API reference, WhatsApp Business Phone Number). */
import type { Context, Next } from "hono";
import { answerAsProxy } from "../connections.ts";
import * as z from "zod";
import { parseValue, readBearerToken, readJson } from "../json_request.ts";
import type { CloudContext } from "./context.ts";
import { invalidToken, refuseGraph } from "./errors.ts";

/** Fields of a number that no account has. */
const told: ReadonlySet<string> = new Set(["display_phone_number", "webhook_configuration"]);

/** Answers what is asked of a number; leaves every other node to the next route. */
export async function tellNumber(
  { connections, numbers, webhooks }: CloudContext,
  context: Context,
  next: Next,
): Promise<Response | void> {
  const fields = (context.req.query("fields") ?? "").split(",");
  if (!fields.some((field) => told.has(field))) return await next();
  if (readBearerToken(context.req.raw) === undefined) return refuseGraph(invalidToken);
  const id = context.req.param("wabaId") ?? "";
  const { isLost, phone, behavior, webhookUrl } = connections.session("whatsapp_cloud", id);
  if (behavior === "down") return answerAsProxy();
  const { throughput: level, isOnBusinessApp } = numbers.read(id);
  const known: Readonly<Record<string, unknown>> = {
    display_phone_number: phone === undefined ? undefined : `+${phone}`,
    status: isLost ? "BANNED" : "CONNECTED",
    quality_rating: "GREEN",
    throughput: { level },
    messaging_limit_tier: "TIER_2K",
    is_on_biz_app: isOnBusinessApp,
    webhook_configuration: {
      application: webhooks.urlOf("whatsapp_cloud", id),
      whatsapp_business_account: webhookUrl,
    },
  };
  const answered = fields.filter((field) => known[field] !== undefined)
    .map((field) => [field, known[field]]);
  return Response.json({ ...Object.fromEntries(answered), id });
}

/**
 * `POST /{version}/{WABA id}/subscribed_apps`: another address for all numbers of the account. Every number of
 * the simulator belongs to it.
 */
export async function overrideWebhook(
  { connections, webhooks }: CloudContext,
  context: Context,
): Promise<Response> {
  if (readBearerToken(context.req.raw) === undefined) return refuseGraph(invalidToken);
  const body = parseValue(overrideSchema, await readJson(context.req.raw));
  if (!body.success) {
    return refuseGraph({ status: 400, code: 100, title: "Invalid parameter", details: "" });
  }
  for (const { provider, instance } of webhooks.list()) {
    if (provider !== "whatsapp_cloud") continue;
    connections.session(provider, instance).webhookUrl = body.data.override_callback_uri;
  }
  return Response.json({ success: true });
}

const overrideSchema = z.object({
  override_callback_uri: z.url(),
  verify_token: z.string().min(1),
});
