/**
 * What Z-API takes beside sends (pages read-message, delete-message, block-contact). Reading and deleting
 * answer 204 whatever became of it: no body tells a failure.
 */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { deleteSent } from "../actions.ts";
import type { SimulatorContext } from "../context.ts";
import { listFlaws, parseValue, readJson } from "../json_request.ts";
import { answerSend, type ErrorFormat } from "../spoiled_answer.ts";

const phone = z.string().regex(/^\d{8,15}$/, "must be digits with country code");
const readingSchema = z.object({ phone, messageId: z.string().min(1) });
const blockSchema = z.object({ phone, action: z.enum(["block", "unblock"]) });
const deletionSchema = z.object({
  phone,
  messageId: z.string().min(1),
  owner: z.enum(["true", "false"]),
});

/** What the routes share with those of sends. */
export interface ZapiConventions {
  readonly check: (request: Request) => Response | undefined;
  readonly refuse: (status: number, error: string) => Response;
  readonly errorFormat: ErrorFormat;
}

/** The routes below `/instances/{id}/token/{token}`. */
export function createZapiActions(
  simulator: SimulatorContext,
  { check, refuse, errorFormat }: ZapiConventions,
): Hono {
  const app = new Hono();
  const read = <Schema extends z.ZodType>(
    schema: Schema,
    value: unknown,
  ): { readonly data: z.infer<Schema> } | { readonly refusal: Response } => {
    const parsed = parseValue(schema, value);
    if (parsed.success) return { data: parsed.data };
    const flaw = listFlaws(parsed.error, value)[0];
    return { refusal: refuse(400, `${flaw?.path ?? ""} ${flaw?.message ?? "Bad Request"}`.trim()) };
  };
  const instanceOf = (context: Context): string => context.req.param("instance") ?? "";
  app.post("/read-message", async (context) => {
    const refusal = check(context.req.raw);
    if (refusal !== undefined) return refusal;
    const body = read(readingSchema, await readJson(context.req.raw));
    if ("refusal" in body) return body.refusal;
    simulator.store.addReadReceipt({
      ...{ provider: "zapi", instance: instanceOf(context), typingShown: false },
      providerMessageId: body.data.messageId,
    });
    return new Response(null, { status: 204 });
  });
  app.delete("/messages", (context) => {
    const refusal = check(context.req.raw);
    if (refusal !== undefined) return refusal;
    const query = read(deletionSchema, context.req.query());
    if ("refusal" in query) return query.refusal;
    const { phone, messageId: providerMessageId, owner } = query.data;
    const target = { provider: "zapi", instance: instanceOf(context) } as const;
    return answerSend(simulator, { ...target, to: [phone] }, errorFormat, () => {
      if (owner === "true") deleteSent(simulator, { ...target, providerMessageId });
      return new Response(null, { status: 204 });
    });
  });
  app.post("/contacts/modify-blocked", async (context) => {
    const refusal = check(context.req.raw);
    if (refusal !== undefined) return refusal;
    const body = read(blockSchema, await readJson(context.req.raw));
    if ("refusal" in body) return body.refusal;
    const { phone: waId, action } = body.data;
    const target = { provider: "zapi", instance: instanceOf(context) } as const;
    return await answerSend(simulator, { ...target, to: [waId] }, errorFormat, () => {
      simulator.store.addBlock({ ...target, waId, isBlocked: action === "block" });
      return Response.json({ value: true });
    });
  });
  return app;
}
