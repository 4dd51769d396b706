import { askField, findAskIssues } from "../../shared/model/ask.ts";
import { askedFields } from "../../shared/model/asked_fields.ts";
import { callerFields } from "../../shared/model/caller_fields.ts";
import { sendingModes } from "../../shared/model/message_status.ts";
import { providerClasses } from "../../shared/model/provider_kind.ts";
import * as z from "zod";
import { variablesSchema } from "../../shared/model/bounded_fields.ts";
import { instantSchema, zonedInstantSchema } from "../../shared/model/instant.ts";
import { AppError, type Issue } from "../../shared/model/errors.ts";
import type { JsonObject } from "../../shared/http/json_body.ts";
import { type RequestNotes, validateBody } from "../../shared/http/validate.ts";
import { askedPaymentField } from "../../shared/model/payment_status.ts";
import { purposeSchema } from "../../shared/model/purpose.ts";
import {
  findRecipientIssues,
  instanceIdSchema,
  recipientFields,
  sentBySchema,
  templateNameSchema,
} from "../../shared/model/request_fields.ts";
import {
  delayMessageSchema,
  findTimingIssues,
  intervalSecondsSchema,
  timingFields,
} from "../../shared/model/timing.ts";
import { optionalHoldFields } from "../../shared/model/hold.ts";
import {
  type AnswerOf,
  heldBySchema,
  messageStatusSchema,
  providerFailureFields,
  successField,
} from "../../shared/model/response_fields.ts";

/**
 * POST /functions/v1/send-template-message (specification 4.7). The template determines the valid
 * values of `variables`: texts, numbers, and an object for a media header.
 */
export const sendTemplateMessageSchema = z.object({
  /** A UUID. No template has an id of another form. */
  templateId: z.string().min(1).max(100).optional(),
  template: templateNameSchema.optional(),
  instanceId: instanceIdSchema.optional(),
  ...recipientFields,
  variables: variablesSchema().optional(),
  ...callerFields,
  purpose: purposeSchema,
  queued: z.boolean().optional(),
  intervalSeconds: intervalSecondsSchema.optional(),
  delayMessage: delayMessageSchema.optional(),
  sentBy: sentBySchema.optional(),
  pauseAgent: z.boolean().optional(),
  ...timingFields,
  ...askField,
});

export type SendTemplateMessageRequest = z.infer<typeof sendTemplateMessageSchema>;

/**
 * Reads the request from a body.
 *
 * @throws {AppError} `templateId and phone are required` where one of them is absent or not a text
 * (`phone` may be absent where `contactId` or `userId` is in its place, `templateId` where `template` is);
 * otherwise `invalid_phone` or `invalid_request` with `issues`.
 */
export function readSendTemplateMessage(
  notes: RequestNotes,
  body: JsonObject,
): SendTemplateMessageRequest {
  const isNamedOtherwise = ["contactId", "userId"].some((field) => (body[field] ?? null) !== null);
  const isTemplateNamed = (body["template"] ?? null) !== null;
  const required = [
    ...(isTemplateNamed ? [] : ["templateId"]),
    ...(isNamedOtherwise ? [] : ["phone"]),
  ];
  const absent = required.filter((field) => {
    const value = body[field];
    return typeof value !== "string" || value.trim() === "";
  });
  if (absent.length > 0) {
    const issues = absent.map((path) => ({ path, message: "is required and must be text" }));
    const named = `${absent.join(" and ")} ${absent.length === 1 ? "is" : "are"} missing`;
    const message = `${named} or not text: send ${required.join(" and ")}.`;
    throw new AppError("templateId and phone are required", { issues, message });
  }
  return validateBody(
    notes,
    sendTemplateMessageSchema,
    body,
    (request) => [
      ...findRecipientIssues(request),
      ...findTimingIssues(request),
      ...findTwoNames(request),
      ...findAskIssues(request["ask"], null),
    ],
  );
}

function findTwoNames({ templateId, template }: Readonly<Record<string, unknown>>): Issue[] {
  if (templateId === undefined || (template ?? null) === null) return [];
  return [{ path: "template", message: "must not be given beside templateId" }];
}

const outcomeFields = {
  provider: z.enum(providerClasses),
  templateId: z.uuid(),
  templateName: z.string(),
  phone: z.string().nullable(),
  messageId: z.string().nullable(),
  providerMessageId: z.string().nullable(),
  internalMessageId: z.uuid(),
  status: messageStatusSchema,
  mode: z.enum(sendingModes).optional(),
  scheduledFor: zonedInstantSchema.nullable().optional(),
  heldBy: heldBySchema.nullable().optional(),
  ...optionalHoldFields,
  contactId: z.uuid(),
  conversationId: z.uuid(),
  aiAgentPausedUntil: instantSchema.nullable(),
  ...askedFields,
  ...askedPaymentField,
};

/**
 * `messageId` is null while the message waits, or has ended without leaving. `mode`, `scheduledFor` and
 * `heldBy` are there for a message that waits: the answer to one that is sent at once is the
 * specification's.
 */
export const sendTemplateMessageResponseSchema = z.object({
  ...successField,
  ...outcomeFields,
});

/** The members of a provider error. The message is already recorded. */
export const sendTemplateMessageFailureSchema = z.object({
  ...outcomeFields,
  ...providerFailureFields,
});

/** The description of the message in every response. */
export type TemplateMessageDescription = Omit<
  AnswerOf<typeof sendTemplateMessageFailureSchema>,
  keyof typeof providerFailureFields
>;
