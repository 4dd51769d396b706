import * as z from "zod";
import { contactsSchema, locationSchema, mediaSchemas, templateSchema } from "./contents.ts";
import { interactiveSchema } from "./interactive.ts";
import type { GraphError } from "./errors.ts";
import { listFlaws, parseValue } from "../json_request.ts";
import { fillContent, type SimulatedContent } from "../records.ts";

/** A send that the Cloud API would accept. */
export interface CloudMessage {
  /** `to`, or the business-scoped user id in `recipient`, as sent. */
  readonly recipient: string;
  readonly waId: string;
  readonly content: SimulatedContent;
  readonly correlationId: string | null;
  readonly replyTo: string | null;
  /** Direct Send: what a message without a template is billed as, which may go outside the window. */
  readonly directSendCategory: "utility" | "authentication" | null;
}

type Refused = { readonly outcome: "refused"; readonly error: GraphError };

const scopedUserId = /^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$/;
const envelopeSchema = z.object({
  messaging_product: z.literal("whatsapp"),
  recipient_type: z.literal("individual").optional(),
  to: z.string().regex(/^\+?[\d\s()-]{6,24}$/).optional(),
  recipient: z.string().regex(scopedUserId).optional(),
  type: z.string().default("text"),
  context: z.object({ message_id: z.string().min(1) }).optional(),
  biz_opaque_callback_data: z.string().max(512).optional(),
  category: z.enum(["utility", "authentication"]).optional(),
  ttl_seconds: z.number().int().optional(),
});

const textSchema = z.object({
  body: z.string().min(1).max(4096),
  preview_url: z.boolean().optional(),
}).transform(({ body }) => fillContent({ messageType: "text", text: body }));

const reactionSchema = z.strictObject({
  message_id: z.string().min(1),
  emoji: z.string().max(64),
}).transform(({ message_id: providerMessageId, emoji }) =>
  fillContent({
    messageType: "reaction",
    parts: { reaction: { providerMessageId, emoji: emoji === "" ? null : emoji } },
  })
);

/** What goes by Direct Send (page Direct Send). */
const directSendTypes: readonly string[] = ["text", "interactive"];

/** The required member for each `type`, under the key of the same name. */
const contentSchemas: Readonly<Record<string, z.ZodType<SimulatedContent>>> = {
  text: textSchema,
  ...mediaSchemas,
  location: locationSchema,
  contacts: contactsSchema,
  reaction: reactionSchema,
  interactive: interactiveSchema,
  template: templateSchema,
};

/**
 * Validates a body as the Cloud API does. Returns the first flaw as Meta's error, or the message.
 */
export function parseCloudMessage(
  body: unknown,
): { readonly outcome: "taken"; readonly message: CloudMessage } | Refused {
  const envelope = envelopeSchema.safeParse(body);
  if (!envelope.success) return refuseEnvelope(envelope.error, body);
  const { to, recipient, type, context, biz_opaque_callback_data } = envelope.data;
  const address = to ?? recipient;
  if (address === undefined) return refuse(100, "The parameter to is required.");
  const { category, ttl_seconds } = envelope.data;
  if (ttl_seconds !== undefined && category === undefined) {
    return refuse(100, "ttl_seconds is not allowed without category.");
  }
  if (category !== undefined && !directSendTypes.includes(type)) {
    return refuse(100, `category is not allowed for messages of type ${type}.`);
  }
  const schema = contentSchemas[type];
  if (schema === undefined) {
    return refuse(100, `Param type must be one of {${Object.keys(contentSchemas).join(", ")}}.`);
  }
  const value = (body as Record<string, unknown>)[type];
  if (value === undefined) return refuse(100, `The parameter ${type} is required.`);
  const content = parseValue(schema, value);
  if (!content.success) return refuseContent(content.error, type, value);
  return {
    outcome: "taken",
    message: {
      recipient: address,
      waId: to === undefined ? address : address.replace(/\D/g, ""),
      content: content.data,
      correlationId: biz_opaque_callback_data ?? null,
      replyTo: context?.message_id ?? null,
      directSendCategory: category ?? null,
    },
  };
}

const receiptSchema = z.object({
  messaging_product: z.literal("whatsapp"),
  status: z.literal("read"),
  message_id: z.string().startsWith("wamid."),
  typing_indicator: z.object({ type: z.literal("text") }).optional(),
});

/**
 * Reads a read receipt, with or without typing; undefined for a body that is not a read receipt.
 */
export function parseReadReceipt(
  body: unknown,
):
  | { readonly outcome: "taken"; readonly messageId: string; readonly typingShown: boolean }
  | Refused
  | undefined {
  if (typeof body !== "object" || body === null || !("status" in body)) return undefined;
  const parsed = receiptSchema.safeParse(body);
  if (!parsed.success) return refuseEnvelope(parsed.error, body);
  const { message_id: messageId, typing_indicator } = parsed.data;
  return { outcome: "taken", messageId, typingShown: typing_indicator !== undefined };
}

function refuseEnvelope(error: z.ZodError, body: unknown): Refused {
  const flaw = listFlaws(error, body)[0];
  if (flaw?.missing) return refuse(100, `The parameter ${flaw.path} is required.`);
  return refuse(100, `Param ${flaw?.path ?? "body"} is not valid.`);
}

function refuseContent(error: z.ZodError, type: string, value: unknown): Refused {
  const unexpected = error.issues.find((issue) => issue.code === "unrecognized_keys");
  if (unexpected?.code === "unrecognized_keys") {
    return refuse(100, `Unexpected key "${unexpected.keys[0]}" on param "${type}".`);
  }
  const flaw = listFlaws(error, value)[0];
  const path = [type, flaw?.path].filter(Boolean).join(".");
  return flaw?.missing
    ? refuse(131008, `Parameter of ${path} is missing: ${flaw.message}`)
    : refuse(131009, `${path}: ${flaw?.message ?? "is not valid"}`);
}

const titles: Readonly<Record<number, string>> = {
  131008: "Required parameter is missing",
  131009: "Parameter value is not valid",
};

function refuse(code: number, details: string): Refused {
  return {
    outcome: "refused",
    error: { status: 400, code, title: titles[code] ?? details, details },
  };
}
