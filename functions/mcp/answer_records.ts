/**
 * The records that tools answer: which of their members are the service's own, by the schemas of the API where it
 * has them in `shared/`. A text is quoted where its schema says no more than that it is one.
 */
import * as z from "zod";
import { contactSchema } from "../../shared/model/contact_record.ts";
import { partSchemas } from "../../shared/model/content_parts.ts";
import { listErrors } from "../../shared/model/errors.ts";
import { instantSchema, zonedInstantSchema } from "../../shared/model/instant.ts";
import { messageRecordFields } from "../../shared/model/message_record.ts";
import { ladderFields } from "../../shared/model/outside_window.ts";
import { costSchema, estimatedCostSchema } from "../../shared/model/pricing.ts";
import { receivedPartSchemas } from "../../shared/model/received_parts.ts";
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

const conversationMembers = {
  ...{ conversationId: id, contactId: id, assignedTo: id, departmentId: id },
  status: z.enum(["open", "closed", "pending"]),
  ...{ portfolio: flag, awaitingReply: flag, lastMessageAt: instantSchema },
  ...{ referral: receivedPartSchemas.referral, aiAgentPausedUntil: instantSchema },
  ...{ createdAt: instantSchema, updatedAt: instantSchema },
};

/** A contact, and one that is no more. */
export const contactRecord = contactSchema.extend({
  ...{ phone: digits, origin: ownWord, isDeleted: flag, mergedInto: id },
});

export const conversationRecord = z.object({
  ...conversationMembers,
  contact: z.object({ contactId: id, phone: digits, name: text }),
  ...{ isDeleted: flag, mergedInto: id },
});

const button = z.object({
  type: z.enum(["QUICK_REPLY", "URL", "PHONE_NUMBER", "COPY_CODE", "OTP", "FLOW"]),
  ...{ text, url: text, phone_number: text },
});

/** A template. Meta's words are its own: what it reads in one is data here. */
export const templateRecord = z.object({
  ...{ templateId: id, instanceId: id, workspaceId: id, name: text, language },
  parameterFormat: z.enum(["POSITIONAL", "NAMED"]),
  category: z.enum(["MARKETING", "UTILITY", "AUTHENTICATION"]),
  providerStatus: z.enum([
    ...["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED", "IN_APPEAL", "DELETED"] as const,
    ...["PENDING_DELETION", "LIMIT_EXCEEDED", "ARCHIVED", "FLAGGED", "LOCKED"] as const,
  ]),
  providerTemplateId: text,
  components: z.array(z.object({
    type: z.enum(["HEADER", "BODY", "FOOTER", "BUTTONS"]),
    format: z.enum(["TEXT", "IMAGE", "VIDEO", "DOCUMENT", "LOCATION"]),
    ...{ text, buttons: z.array(button), example: z.unknown() },
  })),
  categoryChange: z.object({
    to: z.enum(["MARKETING", "UTILITY", "AUTHENTICATION"]),
    at: instantSchema,
  }),
  quality: z.enum(["GREEN", "YELLOW", "RED", "UNKNOWN"]),
  ...{ rejectedReason: text, disablesAt: instantSchema },
  ...{ createdAt: instantSchema, updatedAt: instantSchema },
});

const protection = z.object({
  ...{ day: z.iso.date(), limit: count, limitedBy: z.enum(["daily_limit", "warm_up"]) },
  ...{ sent: count, waiting: count },
  newContacts: z.object({ limit: count, sent: count, waiting: count }),
});

/** Of what a hold of the whole number keeps. */
const hold = { holdReason: text, holdCode: text, heldUntil: instantSchema };

export const queueRecord = z.object({
  items: z.array(z.object({
    ...{ messageId: id, phone: digits, messageType: ownWord, position: count },
    ...{ scheduledFor: zonedInstantSchema, heldBy: heldBySchema, ...hold },
  })),
  ...{ total: count, protection, nextCursor: cursor },
});

export const healthRecord = z.object({
  ...{ instanceId: id, status: z.enum(["ok", "late", "held", "disconnected"]) },
  ...{ oldestDueAt: instantSchema, oldestDueSeconds: count, nextDueAt: instantSchema },
  ...{ queueDepth: count, inFlight: count, unconfirmed: count, isWindowOpen: flag },
  ...{ heldBy: heldBySchema, ...hold, channelLimit: text },
  connection: z.object({
    state: z.enum(["connected", "disconnected", "unknown"]),
    ...{ since: instantSchema, until: instantSchema, reason: text },
  }),
  pace: z.object({ messagesPerSecond: count, current: count, slowedUntil: instantSchema }),
  budget: z.object({
    ...{ monthlyAmount: decimal, currency, spent: decimal, underWay: decimal, reached: flag },
  }),
  protection,
  lastSuccessAt: instantSchema,
  lastFailure: failure.extend({ at: instantSchema, status: messageStatusSchema }),
});

/** What a send has become. */
export const sentMembers = {
  ...{ contactId: id, conversationId: id, messageId: z.union([id, text]), providerMessageId: text },
  status: messageStatusSchema,
  mode: z.enum(["sent", "queued", "scheduled", "assign_only"]),
  ...{ scheduledFor: zonedInstantSchema, heldBy: heldBySchema, ...hold },
  rendering: partSchemas.rendering,
  ...{ reduced: z.array(fieldPath), ...ladder, aiAgentPausedUntil: instantSchema },
  assignment: z.object(assignmentFields),
  provider: z.enum(["official", "gateway"]),
  ...{ templateId: id, templateName: text, phone: digits, internalMessageId: id },
  ignoredFields: z.array(fieldPath),
};

export const sentRecord = z.object(sentMembers);

export const dryRunRecord = z.object({
  summary: z.object({
    ...{ send: count, skip: z.record(ownWord, count), days: count },
    ...{ firstScheduledFor: instantSchema, lastScheduledFor: instantSchema },
    ...{ windowOpen: count, freeEntryPoint: count },
    sentAs: z.object({ message: count, direct_send: count, template: count, invitation: count }),
  }),
  items: z.array(z.object({
    ...{ index: count, outcome: z.enum(["send", "skip"]), reason: ownWord },
    scheduledFor: instantSchema,
  })),
  ...{ nextIndex: count, warnings: z.array(z.enum(["category_changes"])) },
  ...{ estimatedCost: costs, estimatedCostAfterChange: costs, ignoredFields: z.array(fieldPath) },
});

export const agentPauseRecord = z.object({
  ...{ contactId: id, paused: flag, aiAgentPausedUntil: instantSchema },
  ignoredFields: z.array(fieldPath),
});

/** A page of records. */
export function pageRecord(item: z.ZodType): z.ZodObject {
  return z.object({ items: z.array(item), total: count, nextCursor: cursor });
}
