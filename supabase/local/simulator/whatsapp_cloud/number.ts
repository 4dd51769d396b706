/** `GET /{version}/{phone number id}?fields=…` (Graph API reference, WhatsApp Business Phone Number). */
import type { Context, Next } from "hono";
import { answerAsProxy } from "../connections.ts";
import { readBearerToken } from "../json_request.ts";
import type { CloudContext } from "./context.ts";
import { invalidToken, refuseGraph } from "./errors.ts";

/** Answers what is asked of a number; leaves every other node to the next route. */
export async function tellNumber(
  { connections }: CloudContext,
  context: Context,
  next: Next,
): Promise<Response | void> {
  const fields = (context.req.query("fields") ?? "").split(",");
  if (!fields.includes("display_phone_number")) return await next();
  if (readBearerToken(context.req.raw) === undefined) return refuseGraph(invalidToken);
  const id = context.req.param("wabaId") ?? "";
  const { isLost, phone, behavior } = connections.session("whatsapp_cloud", id);
  if (behavior === "down") return answerAsProxy();
  const known: Readonly<Record<string, unknown>> = {
    display_phone_number: phone === undefined ? undefined : `+${phone}`,
    status: isLost ? "BANNED" : "CONNECTED",
    quality_rating: "GREEN",
    throughput: { level: "STANDARD" },
    messaging_limit_tier: "TIER_2K",
    is_on_biz_app: false,
  };
  const told = fields.filter((field) => known[field] !== undefined)
    .map((field) => [field, known[field]]);
  return Response.json({ ...Object.fromEntries(told), id });
}
