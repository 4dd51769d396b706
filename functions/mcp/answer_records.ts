/**
 * The records that tools answer: which of their members are the service's own, by the schemas of the API where it
 * has them in `shared/`. A text is quoted where its schema says no more than that it is one.
 */
import { sendingModes } from "../../shared/model/message_status.ts";
import { providerClasses } from "../../shared/model/provider_kind.ts";
import * as z from "zod";
import { askedFields } from "../../shared/model/asked_fields.ts";
import { paymentStatusSchema } from "../../shared/model/payment_status.ts";
import {
  componentTypes,
  headerFormats,
  parameterFormats,
  templateCategories,
} from "../../shared/model/filled_template.ts";
import { dryRunFields } from "../../shared/model/batch_record.ts";
import { webhookStates } from "../../shared/model/connection.ts";
import { contactSchema } from "../../shared/model/contact_record.ts";
import {
  controlledFields,
  conversationSchema,
  readAgentPauseFields,
} from "../../shared/model/conversation_record.ts";
import { instanceHealthFields } from "../../shared/model/health_record.ts";
import { questionRecordFields } from "../../shared/model/question_record.ts";
import { dayOfProtectionSchema, waitingMessageSchema } from "../../shared/model/queue_record.ts";
import { budgetStateSchema } from "../../shared/model/usage_record.ts";
import { partSchemas } from "../../shared/model/content_parts.ts";
import { listErrors } from "../../shared/model/errors.ts";
import { instantSchema, zonedInstantSchema } from "../../shared/model/instant.ts";
import { messageRecordFields } from "../../shared/model/message_record.ts";
import { ladderFields } from "../../shared/model/outside_window.ts";
import { costSchema, estimatedCostSchema } from "../../shared/model/pricing.ts";
import {
  assignmentFields,
  heldBySchema,
  messageContactSchema,
  messageStatusSchema,
} from "../../shared/model/response_fields.ts";
import { ownText, ownWord } from "./own_text.ts";

const text = z.string();
const count = z.number();
const flag = z.boolean();
/** An id of the service. Another one, a provider's or a caller's, is quoted. */
const id = z.guid();
/** Digits: a phone, or a number that stands as text. */
export const digits = ownText(/^\+?[0-9]{1,20}$/);
const decimal = ownText(/^-?[0-9]{1,20}(?:\.[0-9]{1,12})?$/);
const currency = ownText(/^[A-Z]{3}$/);
const cursor = ownText(/^[A-Za-z0-9_-]{1,2000}$/);
/** Fields of the API, as `optionList.options.0.title`. */
export const fieldPath = ownText(/^[A-Za-z]{1,40}(?:\.(?:[A-Za-z]{1,40}|[0-9]{1,6})){0,10}$/);
const language = ownText(/^[a-z]{2,3}(?:_[A-Z]{2})?$/);

const errorCode = z.enum(listErrors().map(({ code }) => code));

const money = costSchema.extend({ amount: decimal, currency });
const costs = estimatedCostSchema.extend({ amount: decimal, currency });
/** A failure that a provider may have told, in its words. */
const failure = z.object({ code: z.union([digits, errorCode]), message: text });
/** A template of a ladder. */
const ladder = { ...ladderFields, invitationFor: id };

const sentParts = {
  ...partSchemas,
  reduced: z.array(fieldPath),
  template: z.object({
    ...{ templateId: id, name: text, language, components: z.array(z.unknown()) },
  }),
};

/** A message, as `get_message` and `read_conversation` show it. */
export const messageRecord = z.object({
  ...messageRecordFields,
  ...sentParts,
  ...ladder,
  template: sentParts.template,
  messageType: ownWord,
  estimatedCost: money,
  transcript: text,
  contact: messageContactSchema.extend({ phone: digits }),
  lastError: failure,
});

/** A contact, and one that is no more. */
export const contactRecord = contactSchema.extend({
  ...{ phone: digits, origin: ownWord, isDeleted: flag, mergedInto: id },
});

export const conversationRecord = conversationSchema.extend({
  contact: conversationSchema.shape.contact.extend({ phone: digits }),
  ...{ isDeleted: flag, mergedInto: id },
});

const button = z.object({
  type: z.enum([
    ...["QUICK_REPLY", "URL", "PHONE_NUMBER", "COPY_CODE", "OTP", "FLOW"] as const,
    ...["ORDER_DETAILS", "PAYMENT_REQUEST"] as const,
  ]),
  ...{ text, url: text, phone_number: text },
});

/** A template. Meta's words are its own: what it reads in one is data here. */
export const templateRecord = z.object({
  ...{ templateId: id, instanceId: id, workspaceId: id, name: text, language },
  parameterFormat: z.enum(parameterFormats),
  category: z.enum(templateCategories),
  providerStatus: z.enum([
    ...["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED", "IN_APPEAL", "DELETED"] as const,
    ...["PENDING_DELETION", "LIMIT_EXCEEDED", "ARCHIVED", "FLAGGED", "LOCKED"] as const,
  ]),
  providerTemplateId: text,
  components: z.array(z.object({
    type: z.enum(componentTypes),
    format: z.enum(headerFormats),
    ...{ text, buttons: z.array(button), example: z.unknown() },
  })),
  categoryChange: z.object({
    to: z.enum(templateCategories),
    at: instantSchema,
  }),
  quality: z.enum(["GREEN", "YELLOW", "RED", "UNKNOWN"]),
  ...{ rejectedReason: text, disablesAt: instantSchema },
  ...{ createdAt: instantSchema, updatedAt: instantSchema },
});

/** Of what a hold of the whole number keeps. */
const hold = { holdReason: text, holdCode: text, heldUntil: instantSchema };

export const questionRecord = z.object({
  ...questionRecordFields,
  contact: messageContactSchema.extend({ phone: digits }),
});

export const queueRecord = z.object({
  items: z.array(waitingMessageSchema.extend({ phone: digits, messageType: ownWord })),
  ...{ total: count, protection: dayOfProtectionSchema, nextCursor: cursor },
});

export const healthRecord = z.object({
  instanceId: id,
  ...instanceHealthFields,
  webhooks: z.object({ state: z.enum(webhookStates), url: text }),
  budget: budgetStateSchema.extend({
    ...{ monthlyAmount: decimal, currency, spent: decimal, underWay: decimal },
  }),
  lastFailure: failure.extend({ at: instantSchema, status: messageStatusSchema }),
});

/** What a send has become. */
export const sentMembers = {
  ...{ contactId: id, conversationId: id, messageId: z.union([id, text]), providerMessageId: text },
  status: messageStatusSchema,
  mode: z.enum([...sendingModes, "assign_only"]),
  ...{ scheduledFor: zonedInstantSchema, heldBy: heldBySchema, ...hold },
  rendering: partSchemas.rendering,
  ...{ reduced: z.array(fieldPath), ...ladder, aiAgentPausedUntil: instantSchema },
  assignment: z.object(assignmentFields),
  provider: z.enum(providerClasses),
  ...{ templateId: id, templateName: text, phone: digits, internalMessageId: id },
  ignoredFields: z.array(fieldPath),
  ...askedFields,
  payment: z.object({ reference: text, status: paymentStatusSchema, pixCode: text }),
};

export const sentRecord = z.object(sentMembers);

export const dryRunRecord = z.object({
  ...dryRunFields,
  summary: dryRunFields.summary.extend({ skip: z.record(ownWord, count) }),
  items: z.array(dryRunFields.items.element.extend({ reason: ownWord })),
  ...{ estimatedCost: costs, estimatedCostAfterChange: costs, ignoredFields: z.array(fieldPath) },
});

export const controlRecord = z.object({
  ...controlledFields,
  ignoredFields: z.array(fieldPath),
});

export const agentPauseRecord = z.object({
  ...readAgentPauseFields,
  ignoredFields: z.array(fieldPath),
});

/** A page of records. */
export function pageRecord(item: z.ZodType): z.ZodObject {
  return z.object({ items: z.array(item), total: count, nextCursor: cursor });
}
